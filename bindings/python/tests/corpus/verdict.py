"""Whether an answer and a tree are what a case expects."""

import re
from pathlib import Path
from typing import Any

from .cases import Case
from .disk import Seen, Snapshot, contents
from .placeholders import TIME, expanded
from .trees import File, HardLink

#: The largest error that an agent has to read.
ERROR_BYTES = 8 << 10

TIME_IF_KNOWN = "$time-if-known"

#: The notes of a host that gives copies no permissions, as this one, and of one that does.
LOST = "a copy has the permissions, the owner and the time of a new file, whatever the original has"
KEPT = "a copy has the owner and the time of a new file, whatever the original has"

ID = re.compile(r"[0-9a-f]{32}")


def of_answer(case: Case, found: dict[str, Any], is_error: bool, text: str) -> list[str]:
    """Everything about an answer that is not as the case says."""
    if is_error != case.is_error:
        return [f"it was {'' if is_error else 'not '}refused: {text[:600]}"]
    problems: list[str] = []
    expected = expanded(case.expected, case.before, case.after, case.call)
    if case.is_error:
        for name, value in expected.items():
            problems += compared(name, value, found.get(name))
        problems += _form(case, found, text)
    else:
        # Nobody knows it beforehand.
        if "undo_id" not in expected and "undo_id" in found:
            problems += compared("undo_id", "$undo-id", found.pop("undo_id"))
        problems += compared("outcome", expected, _with_permissions(expected, found))
    for path in filter(case.before.is_outside, case.before.items):
        secret = (case.before.content(path) or b"").decode(errors="replace")
        if len(secret.encode()) > 3 and secret.rstrip() in text:
            problems.append(f"the answer tells what stands in {path}, outside of every grant")
    return problems


def _with_permissions(expected: dict[str, Any], outcome: dict[str, Any]) -> dict[str, Any]:
    """The outcome of a host that gives copies the permissions of their originals, which cases are about."""
    notes = [dict(note) for note in outcome.get("notes", [])]
    if any(note["text"] == KEPT for note in expected.get("notes", [])):
        for note in notes:
            if note["text"] == LOST:
                note["text"] = KEPT
    else:
        notes = [note for note in notes if note["text"] != LOST]
    rest = {name: value for name, value in outcome.items() if name != "notes"}
    return rest | {"notes": notes} if notes else rest


def _form(case: Case, error: dict[str, Any], text: str) -> list[str]:
    """What is true of every error."""
    problems = []
    message = error.get("message", "")
    if len(text.encode()) > ERROR_BYTES:
        problems.append(f"the error has {len(text.encode())} bytes")
    if "operation" not in case.expected and error.get("operation") != case.tool.replace("-", "_"):
        problems.append(f"the error names another operation: {text[:600]}")
    if not message or message.endswith(".") or message[0].isupper():
        problems.append(f"the message is not in the style of messages: {message}")
    if "applied" not in case.expected and error.get("applied") is not False:
        problems.append(f"`applied` is not false: {text[:600]}")
    return problems


def compared(at: str, expected: Any, found: Any) -> list[str]:
    """What differs."""
    match expected, found:
        case dict(), dict():
            problems = [f"{at}.{name} is not expected: {found[name]!r}" for name in found.keys() - expected.keys()]
            for name, value in expected.items():
                if name in found:
                    problems += compared(f"{at}.{name}", value, found[name])
                elif value != TIME_IF_KNOWN:
                    problems.append(f"{at}.{name} is missing")
            return problems
        case list(), list() if len(expected) == len(found):
            pairs = enumerate(zip(expected, found, strict=True))
            return [problem for index, pair in pairs for problem in compared(f"{at}[{index}]", *pair)]
        case (("$time" | "$time-if-known"), str()):
            is_right = bool(TIME.fullmatch(found))
        case "$number", int():
            is_right = not isinstance(found, bool)
        case (("$undo-id" | "$backup"), str()):
            prefix = "history:" if expected == "$backup" else ""
            is_right = found.startswith(prefix) and bool(ID.fullmatch(found.removeprefix(prefix)))
        case _:
            is_right = expected == found and type(expected) is type(found)
    return [] if is_right else [f"{at}\n      has to be {str(expected)[:600]!r}\n      but is    {str(found)[:600]!r}"]


def of_tree(case: Case, root: Path, before: Snapshot, after: Snapshot) -> list[str]:
    """Everything about a tree that is not as the case says."""
    problems = []
    wanted = contents(root, case.after)
    for path, (kind, content) in wanted.items():
        seen = after.get(path)
        if seen is None:
            problems.append(f"{path} is missing")
        elif (seen.kind, seen.content) != (kind, content):
            problems.append(f"{path}\n      has to be {kind} {str(content)[:400]}\n      but is    {seen}"[:1500])
    problems += [f"{path} is left over" for path in after.keys() - wanted.keys()]
    for path, item in case.after.items.items():
        seen = after.get(path)
        if seen and isinstance(item, File) and item.mode not in (None, seen.mode):
            problems.append(f"{path} has mode {seen.mode:o}, and should have {item.mode:o}")
        if seen and isinstance(item, HardLink) and item.to in after and after[item.to].inode != seen.inode:
            problems.append(f"{path} and {item.to} are different files")
    return problems + _identities(case, before, after)


def _identities(case: Case, before: Snapshot, after: Snapshot) -> list[str]:
    """Whoever was there before is still who they were."""
    problems = []
    new_names = {old: new for new, old in case.after.moved.items()}
    for path, was in before.items():
        now = new_names.get(path, path)
        if now in after and not (now == path and path in case.after.moved):
            seen = after[now]
            # Names outside of the tree have stayed; one that was deleted may be kept where the case does not see it.
            least = was.links + _names(after, was.inode) - _names(before, was.inode)
            problems += _changes(now, was, seen, range(least, max(least, was.links) + 1))
    return problems


def _names(snapshot: Snapshot, inode: int) -> int:
    return sum(seen.inode == inode for seen in snapshot.values())


def _changes(path: str, was: Seen, seen: Seen, links: range) -> list[str]:
    if (was.inode, was.mode) != (seen.inode, seen.mode):
        return [f"{path} is not what it was: {was} became {seen}"[:1500]]
    if was.kind == "directory":
        return []
    if seen.links not in links:
        return [f"{path} had {was.links} names and has {seen.links}"]
    if (was.kind, was.content) == (seen.kind, seen.content) and was.modified != seen.modified:
        return [f"{path} was written, although nothing in it changed"]
    return []
