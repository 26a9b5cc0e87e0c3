"""The evidence of a whole fleet, read by Apache Spark and judged as one folder.

::

    from crashsift_spark import Fleet

    fleet = Fleet("/mnt/evidence", "/mnt/fleet")     # a folder for each machine, and where results go
    run = fleet.run(spark)                           # reads only files that no run before has read
    print(run.report, run.new_files, run.quarantined)

Executors walk the folders, and read each file with :mod:`crashsift` in their own process. One process then merges the evidence of
all files as ``crashsift merge`` does: joins, groups, recurrence and over-representation are those of the program itself, and the
report is that of one ``crashsift analyze`` over everything. The functions that executors run take and return Arrow record
batches; ``docs/spark.md`` has the limits.
"""

from __future__ import annotations

from .fleet import Fleet, Run
from .objects import Objects
from .reading import READER, reading
from .walking import walking

__all__ = ["READER", "Fleet", "Objects", "Run", "reading", "walking"]
