"""The exceptions of refused starts and calls."""

import json
from collections.abc import Mapping
from typing import Any

from . import _convert

CLOSED = "the gate is closed"
FORKED = (
    "this process was forked off one that had opened a gate, and the engine does not go on in it: start processes anew, with "
    '`multiprocessing.get_context("spawn")` for one, or fork before the first gate is opened'
)


class StartError(Exception):
    """A refused start: a directory cannot be granted, or the component cannot be loaded."""


class FsgateError(Exception):
    """A refused or failed call. A refused call has changed nothing, see `applied`.

    Each code has a subclass; a code unknown to this version raises this class itself.
    """

    #: The whole error of the component.
    data: dict[str, Any]
    #: The reason, as a word for programs.
    code: str
    #: The operation that was called.
    operation: str
    #: The path in question, as requested.
    path: str | None
    #: The reason in one sentence.
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
        """More data, if any."""
        details = self.data.get("details")
        return json.loads(details) if isinstance(details, str) else details

    def __str__(self) -> str:
        return f"{self.message}; {self.repair}" if self.repair else self.message

    def _payload(self, name: str, type_: Any) -> Any:
        return _convert.decoded(type_, self.data.get(name))
