"""Finds the causes of Windows crashes in the files that they leave behind.

::

    import crashsift

    report = crashsift.analyze("evidence")
    for incident in report:
        print(incident["verdict"]["cause"], incident["verdict"]["sentence"])

    for code in crashsift.explain(-1073740791):
        print(code["readings"][0]["name"])

:func:`analyze` makes a :class:`Report` of files and folders, :func:`inspect` returns the facts of the incidents in them,
:func:`explain` explains codes, and :class:`Rules` are loaded rules. Everything works offline. :mod:`crashsift.documents` has
the types of a report's values, and :mod:`crashsift.codes` those of explained codes.
"""

from __future__ import annotations

from ._crashsift import TABLES, RulesError, __version__
from ._library import Report, Rules, analyze, explain, inspect

__all__ = ["Report", "Rules", "RulesError", "TABLES", "__version__", "analyze", "explain", "inspect"]
