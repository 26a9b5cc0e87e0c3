-- Which DLL of other products do crashes of one problem have more often than the other crashes with a dump? By odds ratio, whose lower 95 % bound decides.
with dumps as (
  select distinct i.id, i.signature, i.process
  from incidents i
  join evidence e on e.incident = i.id
  join artifacts a on a.path = e.artifact
  where a.kind = 'minidump'
),
loaded as (
  select distinct d.id, d.signature, lower(m.module) as module
  from dumps d
  join modules m on m.incident = d.id
  where m.role = 'other-software'
),
sizes as (
  select signature, max(process) as process, count(*) as of_problem from dumps group by signature
),
everywhere as (
  select module, count(*) as with_module from loaded group by module
),
pairs as (
  select
    l.signature,
    l.module,
    cast(count(*) as double) as a,
    max(s.of_problem) - count(*) as b,
    max(e.with_module) - count(*) as c,
    (select count(*) from dumps) - max(s.of_problem) - (max(e.with_module) - count(*)) as d,
    max(s.process) as process
  from loaded l
  join sizes s on s.signature = l.signature
  join everywhere e on e.module = l.module
  where s.of_problem >= 5
  group by l.signature, l.module
)
select
  module,
  process,
  signature,
  cast(a as bigint) as in_problem,
  cast(a + b as bigint) as of_problem,
  cast(c as bigint) as elsewhere,
  cast(c + d as bigint) as of_elsewhere,
  round((a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5)), 1) as odds_ratio,
  round((a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5))
    * exp(-1.96 * sqrt(1 / (a + 0.5) + 1 / (b + 0.5) + 1 / (c + 0.5) + 1 / (d + 0.5))), 1) as at_least
from pairs
where (a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5))
    * exp(-1.96 * sqrt(1 / (a + 0.5) + 1 / (b + 0.5) + 1 / (c + 0.5) + 1 / (d + 0.5))) > 1
order by at_least desc, in_problem desc, module, signature
limit 20
