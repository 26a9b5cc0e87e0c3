-- Which laptops first? Those that lost most work: a blue screen, a power loss or a hang stops the person, a crash one program.
with asked as (
  select 'LT-%' as name
),
weighed as (
  select
    host,
    case when kind in ('bugcheck', 'power-loss') then 5 when kind = 'hang' then 2 else 1 end as weight,
    kind,
    cause,
    symptom,
    signature
  from incidents
  where host is not null and may_be_of is null
)
select
  host,
  sum(weight) as weight,
  count(*) as incidents,
  count(*) filter (where kind in ('bugcheck', 'power-loss')) as stops,
  count(distinct signature) as problems,
  count(*) filter (where cause <> 'undetermined' and not symptom) as with_cause
from weighed
where host like (select name from asked)
group by host
order by weight desc, incidents desc, host
limit 20
