"""The library: paths in, reports out. The extension module does the work and hands over JSON."""

from __future__ import annotations

from os import PathLike, fspath
from types import SimpleNamespace

from . import _crashsift

# What only types need is not imported, because that takes longer than all the rest of this package. Type checkers take a
# variable of this name for true.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date, datetime
    from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Union

    import pandas
    import pyarrow

    from . import documents
    from .codes import ExplainedCode

    Path = Union[str, PathLike[str]]
    Paths = Union[Path, Iterable[Path]]
    Time = Union[str, date, datetime]

_WIDTH = 100


class Rules:
    """Rules, loaded once. Loading the built-in ones takes a part of a second, which is saved where several runs share them.

    :param paths: files and folders of rules.
    :param builtin: whether the built-in rules are among them.
    :raises RulesError: when there are mistakes in the rules.
    """

    __slots__ = ("_native",)

    def __init__(self, paths: Paths = (), *, builtin: bool = True) -> None:
        self._native = _crashsift.Rules(_list(paths), builtin)

    def __len__(self) -> int:
        """How many rules these are."""
        return len(self._native)

    def __repr__(self) -> str:
        return f"<crashsift.Rules: {len(self)} rules>"


class Report:
    """What happened, and why. A sequence of incidents, each a ``dict`` as in the JSON report, earliest first.

    ``for incident in report`` makes one of them at a time. :meth:`to_dict` has everything: artifacts, machines, groups,
    what to collect. :class:`crashsift.documents.Report` lists the keys.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _crashsift.Report) -> None:
        self._native = native

    def __len__(self) -> int:
        """How many incidents it has."""
        return len(self._native)

    def __getitem__(self, number: int) -> documents.Incident:
        """An incident by its number from 0; negative numbers count from the end."""
        if number < 0:
            number += len(self)
        found = self._native.incident(number) if number >= 0 else None
        if found is None:
            raise IndexError("no such incident")
        return _parsed(found)

    def __iter__(self) -> Iterator[documents.Incident]:
        """The incidents, one at a time."""
        for number in range(len(self)):
            yield self[number]

    def __repr__(self) -> str:
        return f"<crashsift.Report: {len(self)} incidents>"

    def to_dict(self) -> documents.Report:
        """The whole report."""
        return _parsed(self._native.render("json", False, _WIDTH))

    def to_json(self) -> str:
        """One JSON document, byte by byte what ``crashsift analyze -f json`` writes."""
        return self._text("json")

    def to_jsonl(self) -> str:
        """JSON Lines: one object a line, each with its ``type``."""
        return self._text("jsonl")

    def to_csv(self) -> str:
        """A table with one row an incident, for spreadsheets. Lines end with CR LF."""
        return self._text("csv")

    def to_text(self, *, width: int = _WIDTH, verbose: bool = False) -> str:
        """The report for reading, laid out for ``width`` columns; ``verbose`` leaves nothing out."""
        return self._text("text", verbose, width)

    def to_markdown(self, *, verbose: bool = False) -> str:
        """The report for tickets and wikis."""
        return self._text("markdown", verbose)

    def to_html(self, *, verbose: bool = False) -> str:
        """The report as one page for a browser, which loads nothing."""
        return self._text("html", verbose)

    def to_parquet(self, table: str) -> bytes:
        """One of the tables of ``crashsift analyze -f parquet``, all days together, as a Parquet file.

        :param table: one of :data:`crashsift.TABLES`, such as ``"incidents"``.
        :raises ValueError: when there is no such table.
        """
        return self._native.parquet(table)

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with one row an incident and the columns of the CSV format. Unknown values are missing values.

        :raises ImportError: without pandas 2 or later (``pip install crashsift[pandas]``).
        """
        import io
        from collections import defaultdict

        import pandas

        types: Dict[str, Any] = defaultdict(lambda: "string", confidence="float64", **_WHOLE_NUMBERS)
        table = io.StringIO(self.to_csv(), newline="")
        frame = pandas.read_csv(table, dtype=types, keep_default_na=False, na_values=[""])
        frame["time"] = pandas.to_datetime(frame["time"], utc=True, format="ISO8601")
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """An Arrow table with one row an incident and the columns of the CSV format. Unknown values are null.

        :raises ImportError: without pyarrow (``pip install crashsift[arrow]``).
        """
        import io

        import pyarrow
        import pyarrow.csv

        content = self._native.render("csv", False, _WIDTH)
        types: Dict[str, Any] = {name: pyarrow.string() for name in content.split(b"\r\n", 1)[0].decode().split(",")}
        types.update({name: pyarrow.int64() for name in _WHOLE_NUMBERS})
        types.update(confidence=pyarrow.float64(), time=pyarrow.timestamp("ns", tz="UTC"))
        return pyarrow.csv.read_csv(
            io.BytesIO(content),
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types, strings_can_be_null=True, null_values=[""], quoted_strings_can_be_null=True
            ),
        )

    def _text(self, format: str, verbose: bool = False, width: int = _WIDTH) -> str:
        return self._native.render(format, verbose, width).decode()


_WHOLE_NUMBERS = {"pid": "Int64", "group_incidents": "Int64"}


# How a run reads and judges, as the extension module takes it.
_SETTINGS: Dict[str, Any] = dict(
    texts=[], symbols=[], since=None, until=None, min_confidence=0.0, walk_stacks=True, by_folder=False, threads=False,
    mergeable=False, password_file=None, jobs=0, progress=None,
)


def analyze(
    paths: Paths = (),
    rules: Union[Rules, Paths] = (),
    *,
    texts: Optional[Mapping[str, Union[str, bytes]]] = None,
    symbols: Paths = (),
    since: Optional[Time] = None,
    until: Optional[Time] = None,
    min_confidence: float = 0.0,
    walk_stacks: bool = True,
    by_folder: bool = False,
    threads: bool = False,
    mergeable: bool = False,
    password_file: Optional[Union[str, PathLike[str]]] = None,
    jobs: int = 0,
    progress: Optional[Callable[[int, int], object]] = None,
) -> Report:
    """Reads everything in files, folders and archives and names the causes.

    A damaged or missing file never stops a run: it is in the report, with the reason. Other threads of Python go on
    meanwhile, and Ctrl-C ends the run at the next file. Neither the environment nor the user's folder of rules changes
    the result.

    :param paths: files, folders and archives.
    :param rules: files and folders of rules that take part beside the built-in ones, or loaded :class:`Rules`.
    :param texts: pasted texts, by the name that the report shows.
    :param symbols: images (``.dll``, ``.exe``), PDBs, Breakpad ``.sym`` files, and folders of them.
    :param since: incidents before this time are left out. A ``datetime`` without time zone is in UTC, as is a ``date``.
    :param until: incidents after this time are left out; a ``date`` means its end.
    :param min_confidence: findings below this confidence (0 to 1) are left out. The verdict stays.
    :param walk_stacks: whether the stacks of crashing threads are walked. Without, a run is faster and a suspect below a
        module that only passes the error on is not found.
    :param by_folder: take the first folders below each path for customers: nothing is joined, grouped or counted across.
    :param threads: list all threads of each process whose dump has them.
    :param mergeable: put into the JSON report what ``crashsift merge`` needs.
    :param password_file: a file of passwords, one a line, that encrypted archives are opened with.
    :param jobs: how many threads work; 0 for as many as there are processors. The report is the same.
    :param progress: called with the number of files that have been read and that of all files.
    :raises RulesError: when there are mistakes in the rules.
    :raises OSError: when the symbols or the passwords can't be opened.
    """
    given = (texts or {}).items()
    settings = SimpleNamespace(
        texts=[(name, text.encode() if isinstance(text, str) else text) for name, text in given],
        symbols=_list(symbols),
        since=_moment(since, end=False),
        until=_moment(until, end=True),
        min_confidence=min_confidence,
        walk_stacks=walk_stacks,
        by_folder=by_folder,
        threads=threads,
        mergeable=mergeable,
        password_file=password_file,
        jobs=jobs,
        progress=progress,
    )
    return Report(_crashsift.analyze(_list(paths), _loaded(rules), settings))


def inspect(paths: Paths, rules: Union[Rules, Paths] = (), *, symbols: Paths = ()) -> Dict[str, Any]:
    """The facts of the incidents in files, folders and archives, as rules see them, without judging them.

    The keys are those of ``crashsift inspect -f json``.

    :param rules: whose lists of modules take part.
    :raises RulesError: when there are mistakes in the rules.
    """
    return _parsed(_crashsift.inspect(_list(paths), _loaded(rules), SimpleNamespace(**{**_SETTINGS, "symbols": _list(symbols)})))


def explain(code: Union[int, str], rules: Union[Rules, Paths] = ()) -> List[ExplainedCode]:
    """What a code means, what it does not mean, and which causes rules know for it.

    :param code: a number, its text in any notation (``"0xC0000409"``, ``"-1073740791"``), a name
        (``"VIDEO_TDR_FAILURE"``), or words with codes (``"WinError 126"``). A text can have several codes.
    :raises ValueError: when the text has no code.
    :raises RulesError: when there are mistakes in the rules.
    """
    document = _parsed(_crashsift.explain([str(code)], _loaded(rules)))
    if not document["codes"]:
        raise ValueError(f"no code: {code}")
    return document["codes"]


_builtin: Optional[Rules] = None


def _loaded(rules: Union[Rules, Paths]) -> _crashsift.Rules:
    global _builtin
    if isinstance(rules, Rules):
        return rules._native
    paths = _list(rules)
    if paths:
        return Rules(paths)._native
    if _builtin is None:
        _builtin = Rules()
    return _builtin._native


def _list(paths: Paths) -> List[str]:
    return [fspath(paths)] if isinstance(paths, (str, PathLike)) else [fspath(path) for path in paths]


def _moment(value: Optional[Time], *, end: bool) -> Optional[str]:
    """A time as RFC 3339 in UTC; a date means its beginning or its end."""
    from datetime import date, datetime, time, timedelta

    if value is None:
        return None
    if isinstance(value, str):
        if len(value) != len("2024-11-11"):
            return value
        value = date.fromisoformat(value)
    if not isinstance(value, datetime):
        value = datetime.combine(value, time.max if end else time.min)
    offset = value.utcoffset() or timedelta()
    return (value.replace(tzinfo=None) - offset).isoformat() + "Z"


def _parsed(document: bytes) -> Any:
    import json

    return json.loads(document)
