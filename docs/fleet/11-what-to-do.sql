-- Which step helps most computers? The first step for the helpdesk of each verdict with a cause.
with first_steps as (
  select s.incident, s.text, s.cost, s.risk, row_number() over (partition by s.incident order by s.number) as place
  from steps s
  where s.audience = 'helpdesk'
)
select
  f.text as step,
  max(f.cost) as cost,
  max(f.risk) as risk,
  count(distinct i.host) as hosts,
  count(*) as incidents,
  round(avg(i.confidence), 2) as confidence
from first_steps f
join incidents i on i.id = f.incident
where f.place = 1 and i.cause <> 'undetermined' and not i.symptom
group by f.text
order by hosts desc, incidents desc, step
limit 20
