"""Cases of tools."""

import json
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from . import compiled
from .trees import Tree, repeated

#: The file with the calls whose mistakes are in the JSON itself.
AGENT = "agent"


@dataclass(frozen=True)
class Case:
    """One case."""

    file: str
    tool: str
    name: str
    before: Tree
    after: Tree
    #: The text of the arguments, which is not always valid JSON.
    arguments: str
    #: The `tool` and `arguments` of each call before the one that the case tries.
    earlier: list[dict[str, str]]
    #: The `volume` of a case that runs on one kind only, and the `reason`.
    only: dict[str, str] | None = None
    #: The `text` of the policy. A `late` one applies in a new session after the earlier calls.
    policy: dict[str, Any] | None = None
    outcome: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    #: The outcome may have members that the case does not name, at any depth.
    partial: bool = False

    def expanded(self, ids: list[str]) -> "Case":
        """Returns the case without repetitions, and with the ids of the earlier calls."""
        outcome, error = (json.loads(expanded(json.dumps(expected), ids)) for expected in (self.outcome, self.error))
        return replace(self, arguments=expanded(self.arguments, ids), outcome=outcome, error=error)


@cache
def every() -> list[Case]:
    """Returns all cases, in the order of their files. Without `after`, nothing changes."""
    return [Case(**{"after": case["before"], **case}) for case in compiled.cases("cases")]


def expanded(text: str, ids: list[str]) -> str:
    """Expands repetitions, and replaces `$undo-id(N)` by the id of the earlier call N.

    `$start-of-undo-id(N)` becomes its first 30 digits.
    """
    text = repeated(text)
    for number, id in enumerate(ids, 1):
        text = text.replace(f"$undo-id({number})", id).replace(f"$start-of-undo-id({number})", id[:30])
    return text
