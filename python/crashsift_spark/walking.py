"""The manifest: the files of a fleet with their sizes, found by many tasks at once."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

import pyarrow as pa
from crashsift import _crashsift

from .objects import Objects

#: What is walked: the folder or file of a machine. Paths are bytes, because not every name is text.
UNITS = pa.schema([("machine", pa.string()), ("path", pa.binary())])

#: What is found: a file with the form by which a change of it is noticed, or a path without a file that can be read, with its
#: artifact as JSON.
MANIFEST = pa.schema(
    [
        ("machine", pa.string()),
        ("path", pa.binary()),
        ("bytes", pa.int64()),
        ("changed", pa.int64()),
        ("artifact", pa.binary()),
    ]
)

_AT_ONCE = 4096

Batches = Iterable[pa.RecordBatch]


def units(root: str) -> Tuple[List[Tuple[str, bytes]], List[Tuple[str, bytes, bytes]]]:
    """The folders of machines and the files at the top of a folder, and what is neither, with its artifact as JSON."""
    wanted: List[Tuple[str, bytes]] = []
    passed_over: List[Tuple[str, bytes, bytes]] = []
    # A path as the program prints it: without a slash at its end.
    root = root.rstrip("/") or "/"
    with os.scandir(os.fsencode(root)) as entries:
        for entry in entries:
            folder = entry.is_dir(follow_symlinks=False)
            if folder or entry.is_file(follow_symlinks=False):
                wanted.append((os.fsdecode(entry.name) if folder else "", entry.path))
            else:
                link = entry.is_symlink()
                why = "a symbolic link, not followed" if link else "neither a file nor a folder"
                artifact = _crashsift.unread(os.fsdecode(entry.path), 0, why, True)
                passed_over.append(("", entry.path, artifact))
    return [(_text(machine), path) for machine, path in wanted], passed_over


def _text(name: str) -> str:
    return name.encode(errors="surrogateescape").decode(errors="replace")


def walking(objects: Optional[Objects] = None) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """The function that finds the files, or ``objects``: batches of :data:`UNITS` in, batches of :data:`MANIFEST` out."""
    found = objects.found if objects else _found

    def walk(batches: Batches) -> Iterator[pa.RecordBatch]:
        rows: List[Dict[str, Any]] = []
        for batch in batches:
            for unit in batch.to_pylist():
                rows.extend(found(unit["machine"], unit["path"]))
                if len(rows) >= _AT_ONCE:
                    yield pa.RecordBatch.from_pylist(rows, MANIFEST)
                    rows = []
        yield pa.RecordBatch.from_pylist(rows, MANIFEST)

    return walk


def _found(machine: str, path: bytes) -> Iterator[Dict[str, Any]]:
    files, unread = _crashsift.list_files([os.fsdecode(path)])
    for file in files:
        form = os.stat(file, follow_symlinks=False) if os.path.lexists(file) else None
        yield {
            "machine": machine,
            "path": os.fsencode(file),
            "bytes": form.st_size if form else 0,
            "changed": form.st_mtime_ns if form else 0,
        }
    for artifact in unread:
        yield {"machine": machine, "path": _path(artifact), "bytes": 0, "changed": 0, "artifact": artifact}


def _path(artifact: bytes) -> bytes:
    import json

    return os.fsencode(json.loads(artifact)["path"])
