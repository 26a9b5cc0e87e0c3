-- What is new since the driver update? Problems that no computer had before the first one got it, by how many with and without it have them.
with asked as (
  select '%32.0.15.7283%' as version
),
updated as (
  select host, min(time) as since
  from timeline
  where kind = 'driver-install' and says like (select version from asked)
  group by host
),
begin as (
  select min(since) as since from updated
),
problems as (
  select
    i.signature,
    i.cause,
    i.host,
    i.time,
    i.sentence,
    case when u.since <= i.time then 1 else 0 end as after_update
  from incidents i
  left join updated u on u.host = i.host
  where i.host is not null and i.time is not null and i.may_be_of is null
)
select
  signature,
  max_by(sentence, time) as sentence,
  count(distinct host) filter (where after_update = 1) as updated_hosts,
  count(distinct host) filter (where after_update = 0) as other_hosts,
  count(*) as incidents,
  min(time) as first_seen
from problems
group by signature
having min(time) >= (select since from begin)
  and count(distinct host) filter (where after_update = 1) >= 2
order by updated_hosts - other_hosts desc, incidents desc, signature
limit 20
