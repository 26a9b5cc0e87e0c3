-- What is new since the driver update? Problems of three or more computers that have the update, and of hardly any without it or before it.
with asked as (
  select '%32.0.15.7283%' as version
),
updated as (
  select host, min(time) as since
  from timeline
  where kind = 'driver-install' and says like (select version from asked)
  group by host
),
problems as (
  select
    i.signature,
    i.host,
    i.time,
    i.sentence,
    case when u.since <= i.time then 1 else 0 end as after_update
  from incidents i
  left join updated u on u.host = i.host
  where i.host is not null and i.time is not null and i.may_be_of is null
),
counted as (
  select
    signature,
    max_by(sentence, time) as sentence,
    count(distinct host) filter (where after_update = 1) as updated_hosts,
    count(distinct host) filter (where after_update = 0) as other_hosts,
    count(*) as incidents,
    min(time) filter (where after_update = 1) as first_seen
  from problems
  group by signature
)
select signature, sentence, updated_hosts, other_hosts, incidents, first_seen
from counted
where updated_hosts >= 3 and updated_hosts > 3 * other_hosts
order by updated_hosts - other_hosts desc, incidents desc, signature
limit 20
