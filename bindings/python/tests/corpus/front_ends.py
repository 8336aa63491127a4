"""Cases of front ends, whose answers have placeholders of their own."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from . import compiled
from .trees import Tree
from .verdict import TIME


@dataclass(frozen=True)
class Case:
    """One case."""

    front_end: str
    group: str
    name: str
    blocks: dict[str, str]
    before: Tree
    #: The tree after the case, which is not compared where the case has none.
    after: Tree | None = None
    #: The policy; without one the profile `default` applies.
    policy: str | None = None


@cache
def every() -> list[Case]:
    """Returns all cases, in the order of their front ends and files."""
    return [Case(**case) for case in compiled.cases("front-ends")]


def is_text(pattern: str) -> Callable[[object], bool]:
    """Returns a check that a value is a text of this form."""
    return lambda found: isinstance(found, str) and re.fullmatch(pattern, found) is not None


is_time = is_text(TIME.pattern)

#: The placeholders of expected answers by front end, each with the check of its value.
STANDS: dict[str, dict[str, Callable[[object], bool]]] = {
    # The form in which JavaScript writes a time.
    "plugin": {"$time": is_text(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")},
    "sham": {"$time": is_time},
    "workflow": {
        "$any": lambda _: True,
        "$time": is_time,
        "$moment": lambda found: found is None or is_time(found),
        "$sha256": is_text("[0-9a-fA-F]{64}"),
        "$history": is_text("history:[0-9a-fA-F]{32}"),
    },
}


def compared(case: Case, at: str, expected: Any, found: Any) -> list[str]:
    """Returns the differences. The error of a workflow may have members that the case omits."""
    stands = STANDS.get(case.front_end, {}).get(expected) if isinstance(expected, str) else None
    if stands is not None:
        is_right = stands(found)
    elif isinstance(expected, dict) and isinstance(found, dict):
        is_open = case.front_end == "workflow" and at.endswith(".error")
        problems = [f"{at}.{name} is missing" for name in expected.keys() - found.keys()]
        if not is_open:
            problems += [f"{at}.{name} is not expected: {found[name]!r}" for name in found.keys() - expected.keys()]
        for name in expected.keys() & found.keys():
            problems += compared(case, f"{at}.{name}", expected[name], found[name])
        return problems
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found, strict=True))
        return [problem for index, pair in pairs for problem in compared(case, f"{at}[{index}]", *pair)]
    else:
        is_right = expected == found and type(expected) is type(found)
    return [] if is_right else [f"{at}\n      has to be {str(expected)[:600]!r}\n      but is    {str(found)[:600]!r}"]
