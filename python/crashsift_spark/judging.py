"""The second pass: one task merges the evidence of all files, as ``crashsift merge`` does."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from typing import Callable, Dict, Iterable, Iterator, List, Sequence

import pyarrow as pa
from crashsift import _crashsift

#: What the task tells: how the program ended, its notes, the most memory that it had, and how long it worked.
OUTCOME = pa.schema(
    [("exit", pa.int64()), ("notes", pa.string()), ("peak_bytes", pa.int64()), ("processor_seconds", pa.float64())]
)

#: So many artifacts are in one report that is merged with others.
_AT_ONCE = 20_000

Batches = Iterable[pa.RecordBatch]


def judging(options: Sequence[str], scratch: str) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """The function that judges: batches with a column ``artifacts`` in, one row of :data:`OUTCOME` out.

    ``options`` are what follows the reports in ``crashsift merge REPORT...``: formats and where they go. The packed evidence is
    in ``scratch`` meanwhile.
    """

    def judge(batches: Batches) -> Iterator[pa.RecordBatch]:
        with tempfile.TemporaryDirectory(dir=scratch, prefix=".crashsift-") as folder:
            parts: List[str] = []
            waiting: List[bytes] = []
            for batch in batches:
                waiting.extend(_flat(batch))
                while len(waiting) >= _AT_ONCE:
                    parts.append(_written(folder, len(parts), waiting[:_AT_ONCE]))
                    del waiting[:_AT_ONCE]
            if waiting or not parts:
                parts.append(_written(folder, len(parts), waiting))
            yield pa.RecordBatch.from_pylist([_merged(parts, options)], OUTCOME)

    return judge


def _flat(batch: pa.RecordBatch) -> List[bytes]:
    return batch.column("artifacts").flatten().to_pylist()


def _written(folder: str, number: int, artifacts: List[bytes]) -> str:
    path = os.path.join(folder, f"part-{number:05}.jsonl")
    with open(path, "wb") as file:
        file.write(_crashsift.mergeable(artifacts))
    return path


def _merged(parts: List[str], options: Sequence[str]) -> Dict[str, object]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(
        [sys.executable, "-m", "crashsift", "merge", *parts, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    notes = ended.stderr.decode(errors="replace")
    return {"exit": ended.returncode, "notes": notes, "peak_bytes": after.ru_maxrss << 10, "processor_seconds": seconds}
