"""Evidence in object stores: what is there, and copies for the reader, which takes files."""

from __future__ import annotations

import json
import os
import re
import tempfile
from functools import lru_cache
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union
from urllib.parse import urlsplit

from crashsift import _crashsift
from pyarrow.fs import FileInfo, FileSelector, FileSystem, FileType

#: Larger objects are not copied, bytes. They are in the report as files that could not be read.
MOST_COPIED = 8 << 30

#: So many bytes of an object are in memory while it is copied.
_CHUNK = 1 << 20

_NO_NAME = "its name can not be the name of a file"


class Unfetched(NamedTuple):
    """Why an object could not be fetched. The next run tries it again."""

    reason: str


#: The artifacts of a file as JSON, each with its evidence.
Artifacts = List[Tuple[bytes, Optional[bytes]]]

#: The artifacts of each file; ``None`` where it ended the process that read it.
Reader = Callable[[Sequence[str]], Sequence[Optional[Artifacts]]]


def is_url(path: str) -> bool:
    """Whether a path is the URL of an object store."""
    return re.match("[a-z][a-z0-9+.-]*://", path) is not None


class Objects:
    """The objects below a URL that ``pyarrow.fs`` knows: ``s3://bucket/folder?region=eu-west-1``.

    Options of the connection follow the ``?``, and are in no path of the report. Credentials are those of the environment.

    :raises ValueError: for a URL with a password, which would be in every report, and one without a name.
    """

    def __init__(self, url: str) -> None:
        if urlsplit(url).password is not None:
            raise ValueError("a password in the URL: credentials are taken from the environment")
        self._url = url
        #: The URL as reports have it: without options and without a slash at its end.
        self.root = url.split("?", 1)[0].rstrip("/")
        if self.root.endswith(":"):
            raise ValueError(f"{url}: no bucket")

    def units(self) -> Tuple[List[Tuple[str, bytes]], List[Tuple[str, bytes, bytes]]]:
        """As :func:`crashsift_spark.walking.units`: the folders of machines, the objects at the top, and what is neither."""
        wanted: List[Tuple[str, bytes]] = []
        passed_over: List[Tuple[str, bytes, bytes]] = []
        for about in self._listed(self.root, recursive=False):
            url = self._url_of(about)
            name = url[len(self.root) + 1 :]
            if _is_name(name):
                wanted.append((name if about.type == FileType.Directory else "", os.fsencode(url)))
            else:
                passed_over.append(("", os.fsencode(url), _crashsift.unread(url, 0, _NO_NAME, True)))
        return wanted, passed_over

    def found(self, machine: str, path: bytes) -> Iterator[Dict[str, Any]]:
        """The rows of the manifest for a folder of :meth:`units`, or for an object, which is of no machine."""
        at = os.fsdecode(path)
        for about in self._listed(at, recursive=True) if machine else [self._about(at)]:
            if about.type == FileType.Directory:
                continue
            url = self._url_of(about)
            size = about.size or 0
            row = {"machine": machine, "path": os.fsencode(url), "bytes": size, "changed": about.mtime_ns or 0}
            if not all(map(_is_name, url[len(self.root) + 1 :].split("/"))):
                row["artifact"] = _crashsift.unread(url, size, _NO_NAME, True)
            elif size > MOST_COPIED:
                row["artifact"] = _crashsift.unread(url, size, f"larger than {MOST_COPIED >> 30} GiB, and not copied", False)
            yield row

    def reader(self, read: Reader) -> Callable[[Sequence[str]], Iterator[Union[Artifacts, None, Unfetched]]]:
        """A reader of objects, from one of files: each object is copied into a folder with the names of its URL."""

        def read_objects(urls: Sequence[str]) -> Iterator[Union[Artifacts, None, Unfetched]]:
            # Spark removes its own folder also after processes that were killed.
            scratch = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None
            with tempfile.TemporaryDirectory(prefix="crashsift-", dir=scratch) as folder:
                # A folder for each object: in a store, an object may have the name of a folder.
                places = [os.path.join(folder, str(number), self.root.split("://", 1)[1].lstrip("/")) for number in range(len(urls))]
                copies = [self._copied(url, place) for url, place in zip(urls, places)]
                artifacts = iter(read([copy for copy in copies if isinstance(copy, str)]))
                for copy, place in zip(copies, places):
                    yield copy if isinstance(copy, Unfetched) else self._renamed(next(artifacts), place)

        return read_objects

    def _copied(self, url: str, place: str) -> Union[str, Unfetched]:
        store, root = _store(self._url)
        below = url[len(self.root) :]
        copied = 0
        try:
            os.makedirs(os.path.dirname(place + below), exist_ok=True)
            with store.open_input_stream(root + below) as object, open(place + below, "wb") as file:
                while chunk := object.read(_CHUNK):
                    copied += file.write(chunk)
                    if copied > MOST_COPIED:
                        return Unfetched(f"it grew beyond {MOST_COPIED >> 30} GiB")
        except OSError as error:
            return Unfetched(_reason(error))
        return place + below

    def _renamed(self, artifacts: Optional[Artifacts], place: str) -> Optional[Artifacts]:
        """Artifacts with the URL instead of the folder of a copy."""
        if artifacts is None:
            return None
        copy, url = _in_json(place + "/"), _in_json(self.root + "/")
        return [(artifact.replace(copy, url), evidence) for artifact, evidence in artifacts]

    def _listed(self, url: str, recursive: bool) -> List[FileInfo]:
        store, root = _store(self._url)
        return store.get_file_info(FileSelector(root + url[len(self.root) :], recursive=recursive))

    def _about(self, url: str) -> FileInfo:
        store, root = _store(self._url)
        return store.get_file_info(root + url[len(self.root) :])

    def _url_of(self, about: FileInfo) -> str:
        return self.root + about.path[len(_store(self._url)[1]) :]


@lru_cache(maxsize=4)
def _store(url: str) -> Tuple[FileSystem, str]:
    """The connection of this process, which is never sent to another one, and the path of the URL in the store."""
    return FileSystem.from_uri(url)


def _is_name(name: str) -> bool:
    return name not in ("", ".", "..") and "\0" not in name


def _reason(error: OSError) -> str:
    """The same text for the same reason: without the path of a copy and the number of a request."""
    if isinstance(error, FileNotFoundError):
        return "no longer there"
    text = error.strerror if error.filename and error.strerror else str(error)
    return re.sub(r" \(Request ID: .*?\)", "", text.split("\n", 1)[0])


def _in_json(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False)[1:-1].encode()
