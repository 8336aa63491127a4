"""What a call may use, and how much is kept of what was changed."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Durability: TypeAlias = Literal["process", "power", "none"]
"""What a change survives: the death of the program at any moment, a loss of power as well, or nothing. With `none` nothing
is written down, and there is no undo.
"""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What each call may use. wasmtime's Python interface has no other ceilings: handles and bytes in one step are bounded by
    the engine's own defaults.
    """

    deadline: float = 30.0
    """Seconds. A call looks at the clock and ends by itself; one that does not is ended by force after twice this time."""

    memory: int = 256 << 20
    """Bytes of the component's own memory."""

    result: int = 8 << 20
    """Bytes of an answer in JSON."""


@dataclass(frozen=True, kw_only=True)
class HistoryLimits:
    """How much history is kept in a state directory. What is more, or older, is forgotten, the oldest first."""

    bytes: int = 1 << 30
    """Bytes of old contents and of deleted files."""

    entries: int = 10_000
    """Changes."""

    days: int = 30
    """Age in days."""
