"""A fleet's evidence and what is known of it: one run after the other, each of which reads only what is new."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, List, Sequence

import pyarrow as pa
from crashsift import _crashsift

from .objects import Objects, is_url
from .reading import EVIDENCE, MOST_COUNTED, READER, reading
from .walking import MANIFEST, UNITS, units, walking

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: A task reads about so many bytes and files.
_TASK_BYTES = 128 << 20
_TASK_FILES = 1000

#: How many tasks a server of Spark Connect may do at once: it does not tell.
_REMOTE = 8

#: Exit codes of the program with which a report is written: nothing wrong, a condition met, losses, nothing to analyze.
_WRITTEN = (0, 1, 3, 4)

_TYPES = {pa.string(): "string", pa.binary(): "binary", pa.int64(): "bigint", pa.bool_(): "boolean"}


def ddl(schema: pa.Schema) -> str:
    """A schema as Spark's engines take it."""
    return ", ".join(f"{column.name} {_TYPES[column.type]}" for column in schema)


@dataclass
class Run:
    """What a run did. Times are seconds."""

    #: Its number, from 1.
    number: int
    #: The form of the evidence that it kept.
    format: str = ""
    #: Files that the walk found, and those that no run before had read as they are now.
    files: int = 0
    new_files: int = 0
    new_bytes: int = 0
    #: Files that ended the process that read them, again and again.
    quarantined: List[str] = field(default_factory=list)
    #: The report of all files of all runs, its tables, and what is new in it; that is empty where there was none before.
    report: str = ""
    tables: str = ""
    new: str = ""
    #: The most memory of the program that judged, bytes, and its processor time.
    judge_peak_bytes: int = 0
    judge_processor_seconds: float = 0.0
    walk_seconds: float = 0.0
    read_seconds: float = 0.0
    judge_seconds: float = 0.0


class Fleet:
    """A folder with a folder for each machine, and a folder of results, which executors must see at the same paths.

    :param root: the evidence: a folder, or the URL of one in an object store, as :class:`crashsift_spark.Objects` takes it.
    :param out: where the packed evidence, reports and tables go.
    :param options: options of ``crashsift merge`` for the report, such as ``--rules PATH`` or ``--redact``.
    """

    def __init__(self, root: str, out: str, options: Sequence[str] = ()) -> None:
        if is_url(out):
            raise ValueError(f"{out}: results go into a folder")
        self.objects = Objects(root) if is_url(root) else None
        self.root = self.objects.root if self.objects else os.path.abspath(root)
        self.out = os.path.abspath(out)
        self.options = list(options)

    def runs(self) -> List[Run]:
        """The runs that ended well."""
        try:
            with open(os.path.join(self.out, "runs.json"), encoding="utf-8") as file:
                return [Run(**run) for run in json.load(file)]
        except FileNotFoundError:
            return []

    def run(self, spark: SparkSession, reader: str = READER) -> Run:
        """Reads what is new and judges everything. A run that is ended early leaves the results of the one before."""
        os.makedirs(self.out, exist_ok=True)
        before = self.runs()
        run = Run(len(before) + 1, _crashsift.EVIDENCE_FORMAT)
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        with _timed(run, "walk_seconds"):
            fresh = self._manifest(spark, before, run)
        if run.new_files == 0 and before:
            return before[-1]
        with _timed(run, "read_seconds"):
            self._read(spark, fresh, reader, run)
        with _timed(run, "judge_seconds"):
            self._judge(before, run)
        if before:
            run.new = self._compare(before[-1], run)
        _write(os.path.join(self.out, "runs.json"), json.dumps([asdict(one) for one in [*before, run]], indent=1))
        return run

    def _known(self, spark: SparkSession, numbers: Sequence[int]) -> DataFrame:
        """The files that these runs have read, each in the form in which the last of them did."""
        from pyspark.sql import functions as f

        form = ["path", "bytes", "changed"]
        every = [
            spark.read.parquet(self._url(f"evidence/run-{number:04}")).select(*form).withColumn("run", f.lit(number))
            for number in numbers
        ]
        together = reduce(lambda one, other: one.unionByName(other), every)
        newest = together.groupBy("path").agg(f.max_by(f.struct("bytes", "changed"), "run").alias("newest"))
        return newest.select("path", "newest.*")

    def _manifest(self, spark: SparkSession, before: List[Run], run: Run) -> DataFrame:
        """The files that are new, or other than when they were read."""
        from pyspark.sql import functions as f

        wanted, passed_over = self.objects.units() if self.objects else units(self.root)
        table = pa.table({"machine": [one[0] for one in wanted], "path": [one[1] for one in wanted]}, UNITS)
        tasks = max(1, min(len(wanted), max(2 * _at_once(spark), len(wanted) // 500)))
        found = spark.createDataFrame(table).repartition(tasks).mapInArrow(walking(self.objects), ddl(MANIFEST))
        if passed_over:
            rows = [{"machine": one[0], "path": one[1], "bytes": 0, "changed": 0, "artifact": one[2]} for one in passed_over]
            found = found.unionByName(spark.createDataFrame(pa.Table.from_pylist(rows, MANIFEST)))
        where = self._url("manifest")
        found.write.mode("overwrite").parquet(where)
        manifest = spark.read.parquet(where)
        run.files = manifest.count()
        fresh = manifest
        if self._usable(before):
            known = self._known(spark, self._usable(before))
            fresh = manifest.join(known, known.columns, "left_anti")
        counted = f.col("bytes") if self.objects else f.least(f.col("bytes"), f.lit(MOST_COUNTED))
        sums = fresh.agg(f.count("*"), f.coalesce(f.sum("bytes"), f.lit(0)), f.coalesce(f.sum(counted), f.lit(0))).first()
        assert sums is not None
        run.new_files, run.new_bytes = sums[0], sums[1]
        tasks = max(sums[2] // _TASK_BYTES, sums[0] // _TASK_FILES, 2 * _at_once(spark))
        # The files of a machine stay together, in one task and in the order of their paths.
        return fresh.select(*MANIFEST.names).repartition(int(tasks), "machine").sortWithinPartitions("machine", "path")

    def _read(self, spark: SparkSession, fresh: DataFrame, reader: str, run: Run) -> None:
        where = self._url(f"evidence/run-{run.number:04}")
        evidence = fresh.mapInArrow(reading(reader, self.objects), ddl(EVIDENCE))
        # The program reads this compression, which is not every engine's own choice.
        evidence.write.mode("overwrite").option("compression", "snappy").parquet(where)
        given_up = spark.read.parquet(where).where("quarantined").select("path").distinct().limit(1000).collect()
        run.quarantined = sorted(os.fsdecode(bytes(row["path"])) for row in given_up)

    def _judge(self, before: List[Run], run: Run) -> None:
        """Joins and judges the evidence of all runs, in a process of its own."""
        run.report = os.path.join(self.out, "reports", f"run-{run.number:04}.json")
        run.tables = os.path.join(self.out, "lake.parquet")
        os.makedirs(os.path.dirname(run.report), exist_ok=True)
        numbers = [*self._usable(before), run.number]
        folders = [os.path.join(self.out, f"evidence/run-{number:04}") for number in numbers]
        outputs = ["-o", run.report, "-o", run.tables, *self.options]
        earlier = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run([sys.executable, "-m", "crashsift", "merge", *folders, *outputs], stderr=subprocess.PIPE)
        if ended.returncode not in _WRITTEN:
            raise RuntimeError(ended.stderr.decode(errors="replace"))
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        run.judge_peak_bytes = usage.ru_maxrss << 10
        run.judge_processor_seconds = usage.ru_utime + usage.ru_stime - earlier.ru_utime - earlier.ru_stime

    @staticmethod
    def _usable(runs: List[Run]) -> List[int]:
        """The runs whose evidence this version can read: an update may change its form, and then all files are read again."""
        return [run.number for run in runs if run.format == _crashsift.EVIDENCE_FORMAT]

    def _compare(self, before: Run, now: Run) -> str:
        """The file with what is new since the run before."""
        new = os.path.join(self.out, "reports", f"new-{now.number:04}.json")
        command = [sys.executable, "-m", "crashsift", "compare", before.report, now.report, "-f", "json", "-o", new]
        subprocess.run(command, check=True)
        return new

    def _url(self, name: str) -> str:
        return "file://" + os.path.join(self.out, name)


def _at_once(spark: SparkSession) -> int:
    """How many tasks the engine does at once."""
    context = getattr(spark, "sparkContext", None)
    return context.defaultParallelism if context else _REMOTE


class _timed:
    """Adds the time of a block to a run."""

    def __init__(self, run: Run, name: str) -> None:
        self._run, self._name = run, name

    def __enter__(self) -> None:
        from time import monotonic

        self._begun = monotonic()

    def __exit__(self, *_: object) -> None:
        from time import monotonic

        setattr(self._run, self._name, round(monotonic() - self._begun, 3))


def _write(path: str, text: str) -> None:
    """Writes a file that has its name only when it is whole."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)
