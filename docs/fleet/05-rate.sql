-- How often does a computer fail? Incidents per 1,000 computer-days that logs cover, with 95 % bounds (Poisson, Byar's approximation).
with covered as (
  select
    m.host,
    substr(m.host, 1, 2) as fleet,
    m.log_days,
    m.logs_first,
    m.logs_last
  from machines m
  where m.log_days is not null
),
counted as (
  select c.host, c.fleet, c.log_days, count(i.id) as incidents
  from covered c
  left join incidents i on i.host = c.host and i.time >= c.logs_first and i.time <= c.logs_last and i.may_be_of is null
  group by c.host, c.fleet, c.log_days
),
summed as (
  select fleet, count(*) as hosts, sum(log_days) as days, cast(sum(incidents) as double) as n
  from counted
  group by fleet
)
select
  fleet,
  hosts,
  days,
  cast(n as bigint) as incidents,
  round(1000 * n / days, 3) as per_1000_days,
  round(case when n = 0 then 0
    else 1000 * n * power(1 - 1 / (9 * n) - 1.96 / (3 * sqrt(n)), 3) / days end, 3) as at_least,
  round(1000 * (n + 1) * power(1 - 1 / (9 * (n + 1)) + 1.96 / (3 * sqrt(n + 1)), 3) / days, 3) as at_most
from summed
order by per_1000_days desc, fleet
