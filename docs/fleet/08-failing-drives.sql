-- Which drives fail? Computers with errors of the drive in their System log, and the crashes in which a page could not be read (0xC0000006).
with errors as (
  select host, count(*) as errors, min(time) as first_error
  from timeline
  where kind in ('storage-error', 'drive-health')
  group by host
),
pages as (
  select host, count(*) as crashes, count(distinct process) as programs
  from incidents
  where exception_code = '0xC0000006'
  group by host
)
select
  e.host,
  e.errors,
  e.first_error,
  coalesce(p.crashes, 0) as unreadable_pages,
  coalesce(p.programs, 0) as programs
from errors e
left join pages p on p.host = e.host
order by unreadable_pages desc, errors desc, host
limit 20
