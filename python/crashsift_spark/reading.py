"""The first pass: every file is read by itself, and its evidence kept."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence

import pyarrow as pa
from crashsift import _crashsift
from crashsift._library import _SETTINGS

from .objects import Artifacts, Objects, Reader, Unfetched

#: What is read: an artifact as JSON, with its evidence in the form of that name, behind the row of its file in the manifest; and
#: whether the file was given up. Of an archive, its members are artifacts, too. ``crashsift merge`` reads folders of such rows. Of
#: an object that could not be fetched, ``changed`` is null: it is new to the next run.
EVIDENCE = pa.schema(
    [
        ("machine", pa.string()),
        ("path", pa.binary()),
        ("bytes", pa.int64()),
        ("changed", pa.int64()),
        ("format", pa.string()),
        ("artifact", pa.binary()),
        ("evidence", pa.binary()),
        ("quarantined", pa.bool_()),
    ]
)

#: The function that reads files: module and name. It takes paths and returns the artifacts of each, with their evidence.
READER = "crashsift_spark.reading:gather"

#: How often a file may end the process that reads it.
ATTEMPTS = 2

_REASON = f"reading it ended the process {ATTEMPTS} times"

#: A file counts as at most this many bytes: of large dumps only parts are read.
MOST_COUNTED = 16 << 20

Batches = Iterable[pa.RecordBatch]

def gather(files: Sequence[str]) -> List[Artifacts]:
    """Reads files in this process, on one thread: the engine runs as many processes as there are processors."""
    return _crashsift.gather(files, SimpleNamespace(**{**_SETTINGS, "jobs": 1}))


def reading(
    reader: str = READER, objects: Optional[Objects] = None, *, batch_bytes: int = 64 << 20, batch_files: int = 256
) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """The function that reads: batches of the manifest in, batches of :data:`EVIDENCE` out.

    At most ``batch_bytes`` of files and ``batch_files`` files are in work at once, or one larger file. Where the engine repeats a task, because an
    executor or the process that read was lost, files are read in processes of their own: one that ends such a process
    :data:`ATTEMPTS` times is given up, and is in the report as a file that could not be read.
    """

    def read(batches: Batches) -> Iterator[pa.RecordBatch]:
        alone = _Alone(reader) if _is_repeated() else None
        files: Reader = alone.read_all if alone else _function(reader)
        try:
            # Objects are copied, and count with all their bytes.
            for rows in _parts(batches, batch_bytes, batch_files, None if objects else MOST_COUNTED):
                yield pa.RecordBatch.from_pylist(_read(rows, objects.reader(files) if objects else files), EVIDENCE)
        finally:
            if alone:
                alone.close()

    return read


def _is_repeated() -> bool:
    """Whether this task was begun before. Engines that are not Spark do not tell."""
    try:
        from pyspark import TaskContext
    except ImportError:
        return False
    context = TaskContext.get()
    return context is not None and (context.attemptNumber() > 0 or _stage_attempt(context) > 0)


def _stage_attempt(context: Any) -> int:
    return getattr(context, "stageAttemptNumber", lambda: 0)()


def _parts(
    batches: Batches, most_bytes: int, most_files: int, most_counted: Optional[int]
) -> Iterator[List[Dict[str, Any]]]:
    part: List[Dict[str, Any]] = []
    size = 0
    for batch in batches:
        for row in batch.to_pylist():
            counted = row["bytes"] if most_counted is None else min(row["bytes"], most_counted)
            if part and (size + counted > most_bytes or len(part) >= most_files):
                yield part
                part, size = [], 0
            part.append(row)
            size += counted
    if part:
        yield part


def _read(rows: List[Dict[str, Any]], read: Callable[[Sequence[str]], Iterable[Any]]) -> List[Dict[str, Any]]:
    answers = iter(read([os.fsdecode(row["path"]) for row in rows if row["artifact"] is None]))
    out: List[Dict[str, Any]] = []
    for row in rows:
        kept = {name: row[name] for name in ("machine", "path", "bytes", "changed")}
        kept.update(format=_crashsift.EVIDENCE_FORMAT, quarantined=False)
        answer: Any = next(answers) if row["artifact"] is None else [(row["artifact"], None)]
        if answer is None or isinstance(answer, Unfetched):
            reason = answer.reason if answer else _REASON
            kept.update(changed=None) if answer else kept.update(quarantined=True)
            answer = [(_crashsift.unread(os.fsdecode(row["path"]), row["bytes"], reason, False), None)]
        out.extend({**kept, "artifact": artifact, "evidence": evidence} for artifact, evidence in answer)
    return out


def _function(reader: str) -> Callable[[Sequence[str]], List[Artifacts]]:
    module, name = reader.split(":")
    return getattr(import_module(module), name)


class _Alone:
    """A process that reads one file at a time, and another one where a file ends it."""

    def __init__(self, reader: str) -> None:
        self._reader = reader
        self._process: Optional[subprocess.Popen[bytes]] = None

    def read_all(self, files: Sequence[str]) -> List[Optional[Artifacts]]:
        """The artifacts of each file; ``None`` where it ended the process each time."""
        return [self._read(file) for file in files]

    def _read(self, file: str) -> Optional[Artifacts]:
        for _ in range(ATTEMPTS):
            process = self._process = self._process or self._started()
            assert process.stdin and process.stdout
            try:
                pickle.dump(file, process.stdin)
                process.stdin.flush()
                return pickle.load(process.stdout)
            except (EOFError, BrokenPipeError, pickle.UnpicklingError):
                self.close()
        return None

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "crashsift_spark.alone", self._reader]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def close(self) -> None:
        if self._process:
            self._process.kill()
            self._process.communicate()
            self._process = None
