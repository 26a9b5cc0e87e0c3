"""The types of explained codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class Spellings(TypedDict):
    """A number in its notations."""

    hex: str
    signed: int
    unsigned: int


class SubCode(TypedDict):
    """The meaning of a second number, such as the code of a fast fail."""

    code: int
    name: str
    means: str
    has_rules: bool
    """Whether a rule compares with it."""


class KnownRule(TypedDict):
    """A rule that compares with a code."""

    id: str
    title: str
    cause: str
    confidence: float
    """From 0 to 1, where all its other terms are true, too."""
    needs: NotRequired[List[str]]
    """The facts that it needs beside the code."""


class CodeFinding(TypedDict):
    """A finding for an incident of which nothing but the code is known."""

    rule: str
    title: str
    cause: str
    symptom: bool
    """Whether the cause only names what happened."""
    confidence: float


# "not" is what the code does not mean, although it is often said to.
Reading = TypedDict(
    "Reading",
    {
        "kind": "str",
        "code": "str",
        "spellings": "Spellings",
        "name": "NotRequired[str]",
        "means": "NotRequired[str]",
        "why": "str",
        "structure": "NotRequired[Dict[str, Any]]",
        "proves": "NotRequired[List[str]]",
        "not": "NotRequired[List[str]]",
        "look": "NotRequired[List[str]]",
        "sub_codes": "NotRequired[List[SubCode]]",
        "alone": "NotRequired[List[CodeFinding]]",
        "rules": "NotRequired[List[KnownRule]]",
        "collect": "NotRequired[List[str]]",
        "sources": "NotRequired[List[str]]",
    },
)


class ExplainedCode(TypedDict):
    """A code with everything that is known about it."""

    text: str
    """The part of the text that has the code."""
    spellings: Spellings
    readings: List[Reading]
    """What the code can be, the likeliest first. Never empty."""
