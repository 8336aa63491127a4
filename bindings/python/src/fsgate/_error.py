"""What a refused call raises."""

import json
from collections.abc import Mapping
from typing import Any

from . import _convert

#: Why there are no more calls.
CLOSED = "the gate is closed"
FORKED = (
    "this process was forked off one that had opened a gate, and the engine does not go on in it: start processes anew, with "
    '`multiprocessing.get_context("spawn")` for one, or fork before the first gate is opened'
)


class StartError(Exception):
    """A start that is refused: what was asked for cannot be granted, or the component cannot be loaded."""


class FsgateError(Exception):
    """A refused or failed call. A refused call has changed nothing, see `applied`.

    Each code has a class below this one; a code that this version does not know comes as this class itself.
    """

    #: The whole error, as the component has told it.
    data: dict[str, Any]
    #: What went wrong, as a word that programs can compare.
    code: str
    #: The operation that was called.
    operation: str
    #: The path that it is about, as it was asked for.
    path: str | None
    #: The same in one sentence.
    message: str
    #: False: nothing was changed. True: something may have been, see the message.
    applied: bool
    #: What to do next.
    repair: str | None

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        self.data = dict(data)
        self.code = self.data.get("code", "other")
        self.operation = self.data.get("operation", "")
        self.path = self.data.get("path")
        self.message = self.data.get("message", "")
        self.applied = self.data.get("applied", True)
        self.repair = self.data.get("repair")

    @property
    def details(self) -> Any:
        """More data, if there is any."""
        details = self.data.get("details")
        return json.loads(details) if isinstance(details, str) else details

    def __str__(self) -> str:
        return f"{self.message}; {self.repair}" if self.repair else self.message

    def _payload(self, name: str, type_: Any) -> Any:
        return _convert.decoded(type_, self.data.get(name))
