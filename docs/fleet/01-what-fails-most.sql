-- What fails most, and on how many computers?
select
  cause,
  coalesce(process, kind) as what,
  count(*) as incidents,
  count(distinct host) as hosts,
  min(time) as first_seen,
  max(time) as last_seen
from incidents
where may_be_of is null
group by cause, coalesce(process, kind)
order by incidents desc, hosts desc, cause, what
limit 20
