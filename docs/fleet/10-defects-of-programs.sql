-- Which defects are the program's and not the computer's? The same place in the same module on several computers.
select
  process,
  fault_module,
  fault_offset,
  count(*) as crashes,
  count(distinct host) as hosts,
  count(distinct process_version) as versions,
  min(time) as first_seen,
  max(time) as last_seen
from incidents
where kind = 'crash' and fault_offset is not null and host is not null
group by process, fault_module, fault_offset
having count(distinct host) >= 3
order by hosts desc, crashes desc, process, fault_module, fault_offset
limit 20
