"""The limits of calls and of the history."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

#: The engine's largest number.
MOST = (1 << 63) - 1

Durability: TypeAlias = Literal["process", "power", "none"]
"""What a change survives: the death of the program at any moment, a loss of power as well, or nothing. With `none` nothing
is written down, and there is no undo.
"""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of a call. wasmtime's Python interface has no others: the engine's own defaults
    bound handles and bytes in one step.
    """

    deadline: float = 30.0
    """Seconds. A call looks at the clock and ends by itself; one that does not is ended by force after twice this time."""

    memory: int = 256 << 20
    """Bytes of the component's own memory."""

    result: int = 8 << 20
    """Bytes of an answer in JSON."""

    def __post_init__(self) -> None:
        # NaN is between no numbers.
        if not _is_number(self.deadline) or not 0.001 <= self.deadline <= 1e9:
            refuse("deadline", self.deadline, "seconds, from 0.001 to 1e9")
        # The engine would take a negative limit for none.
        check("memory", self.memory, 1)
        check("result", self.result, 1)


@dataclass(frozen=True, kw_only=True)
class HistoryLimits:
    """The limits of the history in a state directory. Above them the oldest changes go."""

    bytes: int = 1 << 30
    """Bytes of old contents and of deleted files."""

    entries: int = 10_000
    """Changes."""

    days: int = 30
    """Age in days."""

    def __post_init__(self) -> None:
        for name in ("bytes", "entries", "days"):
            check(name, getattr(self, name), 0)


def check(name: str, value: object, least: int) -> None:
    """Refuses all but whole numbers that engine and component accept."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MOST:
        refuse(name, value, f"a whole number, from {least} to {MOST}")


def refuse(name: str, value: object, wanted: str) -> None:
    """Refuses a limit."""
    raise ValueError(f"the limit `{name}` cannot be {value!r}: give {wanted}")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
