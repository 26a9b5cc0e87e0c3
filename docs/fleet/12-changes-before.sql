-- Which change do failures follow? Of each change that five or more computers had: the computers that failed in this way in the 14 days before and after it, where logs cover both.
with changes as (
  select t.host, t.kind as change_kind, t.says, min(t.time) as since
  from timeline t
  where t.kind in ('driver-install', 'update', 'software-install')
  group by t.host, t.kind, t.says
),
watched as (
  select c.host, c.change_kind, c.says, c.since
  from changes c
  join machines m on m.host = c.host
  where m.logs_first <= c.since - interval '14' day and m.logs_last >= c.since + interval '14' day
),
sizes as (
  select change_kind, says, count(*) as hosts from watched group by change_kind, says having count(*) >= 5
),
failed as (
  select
    w.change_kind,
    w.says,
    i.kind,
    count(distinct w.host) filter (where i.time < w.since) as hosts_before,
    count(distinct w.host) filter (where i.time >= w.since) as hosts_after
  from watched w
  join incidents i on i.host = w.host
    and i.time >= w.since - interval '14' day and i.time < w.since + interval '14' day
  group by w.change_kind, w.says, i.kind
)
select
  f.says as change,
  f.kind as failure,
  s.hosts as hosts,
  f.hosts_before as hosts_before,
  f.hosts_after as hosts_after
from failed f
join sizes s on s.change_kind = f.change_kind and s.says = f.says
where f.hosts_after > 2 * f.hosts_before and f.hosts_after >= 3
order by hosts_after - hosts_before desc, change, failure
limit 20
