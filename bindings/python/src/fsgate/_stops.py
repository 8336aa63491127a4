"""The errors of calls that the host has ended, in the component's own form."""

from typing import Any

#: The repair if the fate of a change is unknown.
LOOK_AROUND = (
    "look what is there before you go on, hidden names too: a file may hold a part of the change, and what was not finished "
    "is put right by the next change, or by `recover`, where a history is kept"
)

LESS = "ask for less at once"


def deadline(tool: str, changes: bool, seconds: float) -> dict[str, Any]:
    """The time of a call was over, and it did not end by itself."""
    return _error("deadline", tool, changes, f"the call was stopped after {seconds:g} s", LESS)


def trap(tool: str, changes: bool, reason: str, memory: int) -> dict[str, Any]:
    """The component failed."""
    # A refused allocation ends there; the engine's Python interface does not report which one.
    if "`unreachable`" in reason:
        message = f"the call was stopped: most likely it needs more than {memory} bytes of memory"
        return _error("limit", tool, changes, message, LESS) | {"which": "memory"}
    if "fuel allocated for hostcalls" in reason:
        message = "the call was stopped: it hands more bytes to its host at once than the engine allows"
        return _error("limit", tool, changes, message, LESS) | {"which": "host_memory"}
    message = "the component failed; this is a fault in fsgate"
    error = _error("other", tool, changes, message, "report it, with the call that caused it")
    return error | {"text": reason[:1000]}


def result(tool: str, changes: bool, found: int, most: int) -> dict[str, Any]:
    """An answer is too large."""
    changed = "; its change is made" if changes else ""
    message = f"the answer has {found} bytes, and one may have {most}{changed}"
    repair = "ask for less: give a smaller `max_bytes` or `max_items`, fewer paths, or a narrower pattern"
    error = _error("limit", tool, False, message, repair) | {"which": "result"}
    if changes:
        error |= {"applied": True, "repair": "look at the result before you go on; leave `diff` out of such a call"}
    return error


def outcome(name: str, found: int, most: int) -> dict[str, Any]:
    """An answer of a front end is too large."""
    message = f"the answer has {found} bytes, and one may have {most}; what the text has changed stays changed"
    repair = "look what is there before you go on; ask for less in one text"
    return _error("limit", name, False, message, repair) | {"applied": True, "which": "result"}


def unsupported(name: str) -> dict[str, Any]:
    """This component has no such front end."""
    message = f"this component has no front end `{name}`"
    return _error("unsupported", name, False, message, "take the component of a newer version")


def malformed(tool: str, error: Exception) -> dict[str, Any]:
    """JSON cannot express it: half of a character, or endlessly nested lists."""
    tool = tool.encode(errors="replace").decode()
    message = f"the call cannot be handed on: {error}"
    return _error("malformed", tool, False, message, "write the arguments as JSON, in UTF-8") | {"position": 0}


def unknown(name: str, only: list[str]) -> dict[str, Any]:
    """The tool was not offered."""
    repair = f"the tools are {', '.join(only)}" if only else "no tool is offered"
    return _error("unknown_tool", name, False, f"no tool is named `{name}`", repair)


def _error(code: str, tool: str, changes: bool, message: str, repair: str) -> dict[str, Any]:
    repair = LOOK_AROUND if changes else repair
    return {"code": code, "operation": tool, "message": message, "applied": changes, "repair": repair}
