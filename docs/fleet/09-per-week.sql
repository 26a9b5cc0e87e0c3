-- Is it getting better? Incidents and computers per week, and the change of each family of causes against the week before.
with weeks as (
  select
    date_trunc('week', time) as week,
    coalesce(family, 'not known') as family,
    count(*) as incidents,
    count(distinct host) as hosts
  from incidents
  where time is not null and may_be_of is null
  group by date_trunc('week', time), coalesce(family, 'not known')
)
select
  cast(week as date) as week,
  family,
  incidents,
  hosts,
  incidents - lag(incidents) over (partition by family order by week) as more
from weeks
order by week, incidents desc, family
