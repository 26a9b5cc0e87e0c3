-- Did the fix help? The same computers in the 14 days before it and the 14 days after, where their logs cover both.
with asked as (
  select '%32.0.15.7316%' as version, 'bugcheck' as kind
),
fixed as (
  select t.host, min(t.time) as since
  from timeline t
  where t.kind = 'driver-install' and t.says like (select version from asked)
  group by t.host
),
watched as (
  select f.host, f.since
  from fixed f
  join machines m on m.host = f.host
  where m.logs_first <= f.since - interval '14' day and m.logs_last >= f.since + interval '14' day
),
counted as (
  select
    w.host,
    count(*) filter (where i.time < w.since and i.time >= w.since - interval '14' day) as before_fix,
    count(*) filter (where i.time >= w.since and i.time < w.since + interval '14' day) as after_fix
  from watched w
  left join incidents i on i.host = w.host and i.kind = (select kind from asked)
  group by w.host
)
select
  count(*) as hosts,
  sum(before_fix) as before_fix,
  sum(after_fix) as after_fix,
  count(*) filter (where before_fix > 0) as hosts_before,
  count(*) filter (where after_fix > 0) as hosts_after,
  -- The share that is gone, with 95 % bounds of the ratio of two counts.
  round(1 - (sum(after_fix) + 0.5) / (sum(before_fix) + 0.5), 3) as fewer,
  round(1 - (sum(after_fix) + 0.5) / (sum(before_fix) + 0.5)
    * exp(1.96 * sqrt(1 / (sum(before_fix) + 0.5) + 1 / (sum(after_fix) + 0.5))), 3) as fewer_at_least,
  round(1 - (sum(after_fix) + 0.5) / (sum(before_fix) + 0.5)
    * exp(-1.96 * sqrt(1 / (sum(before_fix) + 0.5) + 1 / (sum(after_fix) + 0.5))), 3) as fewer_at_most
from counted
