"""One exception for each code of an error. Made from the contract by `python3 -m generator`; a test compares."""

from ._error import FsgateError
from .types import Candidate, SpecialKind


class NotFoundError(FsgateError):
    """Nothing has this name."""


class ExistsError(FsgateError):
    """Something has this name already."""


class IsDirectoryError(FsgateError):
    """A file was needed and this is a directory."""


class NotDirectoryError(FsgateError):
    """A directory was needed and this is something else."""


class NotEmptyError(FsgateError):
    """The directory is not empty."""


class PathEscapeError(FsgateError):
    """The path leads out of the granted directory, through a link or `..`."""


class NotGrantedError(FsgateError):
    """The path lies in no granted directory."""


class LinkLoopError(FsgateError):
    """A cycle of links, or more than 40 of them."""


class ReadOnlyError(FsgateError):
    """The directory is granted for reading only, or the file cannot be written."""


class DeniedByPolicyError(FsgateError):
    """A policy rule forbids it."""

    @property
    def rule(self) -> str:
        """The name of a policy rule."""
        value: str = self._payload("rule", str)
        return value


class ConfirmationRequiredError(FsgateError):
    """A person has to agree first."""


class InvalidPathError(FsgateError):
    """The path is empty or has a NUL byte, or cannot name what the operation acts on."""


class InvalidArgumentError(FsgateError):
    """An argument is missing, unknown, of the wrong type or out of its range."""

    @property
    def field(self) -> str:
        """The name of an argument."""
        value: str = self._payload("field", str)
        return value


class InvalidPatternError(FsgateError):
    """A pattern does not parse."""

    @property
    def position(self) -> int:
        """A position in a pattern or patch, in bytes."""
        value: int = self._payload("position", int)
        return value


class InvalidRangeError(FsgateError):
    """A line range does not parse."""


class OutOfRangeError(FsgateError):
    """A number points past the end."""

    @property
    def total(self) -> int:
        """How many there are."""
        value: int = self._payload("total", int)
        return value


class MalformedError(FsgateError):
    """A structured text does not parse."""

    @property
    def position(self) -> int:
        """A position in a pattern or patch, in bytes."""
        value: int = self._payload("position", int)
        return value


class NotTextError(FsgateError):
    """The bytes at this offset are not text."""

    @property
    def offset(self) -> int:
        """An offset in a file, in bytes."""
        value: int = self._payload("offset", int)
        return value


class NotEncodableError(FsgateError):
    """The file's encoding has no such character."""

    @property
    def character(self) -> str:
        """A character, shown by name where it cannot be seen."""
        value: str = self._payload("character", str)
        return value


class TooLargeError(FsgateError):
    """The answer or the file is larger than allowed."""

    @property
    def limit(self) -> int:
        """The largest value that would have been accepted."""
        value: int = self._payload("limit", int)
        return value


class NoMatchError(FsgateError):
    """The text to replace is not in the file."""

    @property
    def nearest(self) -> Candidate | None:
        """The nearest candidate, if one is near enough to be worth showing."""
        value: Candidate | None = self._payload("nearest", Candidate | None)
        return value


class AmbiguousError(FsgateError):
    """The text to replace is in the file more than once."""

    @property
    def lines(self) -> list[int]:
        """Line numbers, the first 100; in an error the first 1,000, or as many as it has room for: 8 KiB in JSON."""
        value: list[int] = self._payload("lines", list[int])
        return value


class CountMismatchError(FsgateError):
    """Another number of matches was expected."""

    @property
    def found(self) -> int:
        """How many were found."""
        value: int = self._payload("found", int)
        return value


class StaleError(FsgateError):
    """The file is not in the state that was expected."""

    @property
    def tag(self) -> str:
        """The state that was found where another one was expected."""
        value: str = self._payload("tag", str)
        return value


class SpecialFileError(FsgateError):
    """A device, FIFO or socket is neither read nor written."""

    @property
    def special_kind(self) -> SpecialKind:
        """A kind of special file."""
        value: SpecialKind = self._payload("special_kind", SpecialKind)
        return value


class BusyError(FsgateError):
    """Somebody else is at work on it."""


class NoSpaceError(FsgateError):
    """The disk is full."""


class QuotaError(FsgateError):
    """A quota is used up."""


class CrossDeviceError(FsgateError):
    """The two paths are on different file systems."""


class NameTooLongError(FsgateError):
    """A name or path is too long."""


class UnrecoveredError(FsgateError):
    """A change was interrupted and could not be rolled back."""


class DeadlineError(FsgateError):
    """The time for the call is over."""


class NothingToUndoError(FsgateError):
    """There is nothing to undo."""


class UndoConflictError(FsgateError):
    """The file has changed since, so the change cannot be undone."""

    @property
    def conflicting_path(self) -> str:
        """The path of the file that stands in the way."""
        value: str = self._payload("conflicting_path", str)
        return value


class LimitError(FsgateError):
    """A limit of the sandbox was reached, or the work that a search may make."""

    @property
    def which(self) -> str:
        """The name of a limit: `memory`, `host_memory`, `handles`, `result`, `calls`, `concurrent`, `work`."""
        value: str = self._payload("which", str)
        return value


class CancelledError(FsgateError):
    """The caller took the call back."""


class UnknownToolError(FsgateError):
    """No operation has this name."""


class UnknownIdError(FsgateError):
    """Nothing has this id."""


class UnsupportedError(FsgateError):
    """This host or volume cannot do it."""


class IoError(FsgateError):
    """The operating system failed."""

    @property
    def text(self) -> str:
        """What the operating system or the program said."""
        value: str = self._payload("text", str)
        return value


class OtherError(FsgateError):
    """Anything else."""

    @property
    def text(self) -> str:
        """What the operating system or the program said."""
        value: str = self._payload("text", str)
        return value


#: The exception of every code.
BY_CODE: dict[str, type[FsgateError]] = {
    "not_found": NotFoundError,
    "exists": ExistsError,
    "is_directory": IsDirectoryError,
    "not_directory": NotDirectoryError,
    "not_empty": NotEmptyError,
    "path_escape": PathEscapeError,
    "not_granted": NotGrantedError,
    "link_loop": LinkLoopError,
    "read_only": ReadOnlyError,
    "denied_by_policy": DeniedByPolicyError,
    "confirmation_required": ConfirmationRequiredError,
    "invalid_path": InvalidPathError,
    "invalid_argument": InvalidArgumentError,
    "invalid_pattern": InvalidPatternError,
    "invalid_range": InvalidRangeError,
    "out_of_range": OutOfRangeError,
    "malformed": MalformedError,
    "not_text": NotTextError,
    "not_encodable": NotEncodableError,
    "too_large": TooLargeError,
    "no_match": NoMatchError,
    "ambiguous": AmbiguousError,
    "count_mismatch": CountMismatchError,
    "stale": StaleError,
    "special_file": SpecialFileError,
    "busy": BusyError,
    "no_space": NoSpaceError,
    "quota": QuotaError,
    "cross_device": CrossDeviceError,
    "name_too_long": NameTooLongError,
    "unrecovered": UnrecoveredError,
    "deadline": DeadlineError,
    "nothing_to_undo": NothingToUndoError,
    "undo_conflict": UndoConflictError,
    "limit": LimitError,
    "cancelled": CancelledError,
    "unknown_tool": UnknownToolError,
    "unknown_id": UnknownIdError,
    "unsupported": UnsupportedError,
    "io": IoError,
    "other": OtherError,
}
