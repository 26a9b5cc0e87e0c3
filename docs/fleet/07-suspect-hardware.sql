-- Whose hardware is suspect? Computers on which many different programs fail in many different places: a defect of a program has one place on many.
with fleet as (
  select signature, count(distinct host) as hosts from incidents where host is not null group by signature
),
own as (
  select
    i.host,
    count(*) as incidents,
    count(distinct i.signature) as problems,
    count(distinct i.signature) filter (where f.hosts = 1) as problems_of_its_own,
    count(distinct i.process) as programs
  from incidents i
  join fleet f on f.signature = i.signature
  where i.host is not null and i.may_be_of is null
  group by i.host
)
select host, incidents, problems, problems_of_its_own, programs
from own
where problems_of_its_own >= 3 and programs >= 3
order by problems_of_its_own desc, incidents desc, host
limit 20
