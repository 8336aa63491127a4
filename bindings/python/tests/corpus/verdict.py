"""The differences of an answer and of a tree from those that a case expects."""

import re
from pathlib import Path
from typing import Any

from .cases import Case
from .disk import Seen, Snapshot, contents
from .trees import Tree

#: The size limit of an error.
ERROR_BYTES = 8 << 10

TIME_IF_KNOWN = "$time-if-known"

#: The note of a host that does not copy permissions, as this one, and of a host that does.
LOST = "a copy has the permissions, the owner and the time of a new file, whatever the original has"
KEPT = "a copy has the owner and the time of a new file, whatever the original has"

ID = re.compile(r"[0-9a-f]{32}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def of_answer(case: Case, found: dict[str, Any], is_error: bool, text: str) -> list[str]:
    """Returns the differences of an answer from the expected one."""
    if is_error != (case.error is not None):
        return [f"it was {'' if is_error else 'not '}refused: {text[:600]}"]
    problems: list[str] = []
    if is_error:
        for name, value in case.error.items():
            problems += compared(name, value, found.get(name))
        problems += _form(case, found, text)
    else:
        # Cases do not name the id unless it matters.
        if "undo_id" not in case.outcome and "undo_id" in found:
            problems += compared("undo_id", "$undo-id", found.pop("undo_id"))
        problems += compared("outcome", case.outcome, _with_permissions(case.outcome, found), case.partial)
    for path in filter(case.before.is_outside, case.before.items):
        secret = (case.before.content(path) or b"").decode(errors="replace")
        if len(secret.encode()) > 3 and secret.rstrip() in text:
            problems.append(f"the answer tells what stands in {path}, outside of every grant")
    return problems


def _with_permissions(expected: dict[str, Any], outcome: dict[str, Any]) -> dict[str, Any]:
    """Returns the outcome of a host that copies permissions, as cases expect it."""
    notes = [dict(note) for note in outcome.get("notes", [])]
    if any(note.get("text") == KEPT for note in expected.get("notes", [])):
        for note in notes:
            if note.get("text") == LOST:
                note["text"] = KEPT
    else:
        notes = [note for note in notes if note.get("text") != LOST]
    rest = {name: value for name, value in outcome.items() if name != "notes"}
    return rest | {"notes": notes} if notes else rest


def _form(case: Case, error: dict[str, Any], text: str) -> list[str]:
    """Returns the violations of the form that every error has."""
    problems = []
    message = error.get("message", "")
    if len(text.encode()) > ERROR_BYTES:
        problems.append(f"the error has {len(text.encode())} bytes")
    if "operation" not in case.error and error.get("operation") != case.tool.replace("-", "_"):
        problems.append(f"the error names another operation: {text[:600]}")
    if not message or message.endswith(".") or message[0].isupper():
        problems.append(f"the message is not in the style of messages: {message}")
    if "applied" not in case.error and error.get("applied") is not False:
        problems.append(f"`applied` is not false: {text[:600]}")
    return problems


def compared(at: str, expected: Any, found: Any, partial: bool = False) -> list[str]:
    """Returns the differences. With `partial`, objects may have further members."""
    match expected, found:
        case dict(), dict():
            more = [] if partial else found.keys() - expected.keys()
            problems = [f"{at}.{name} is not expected: {found[name]!r}" for name in more]
            for name, value in expected.items():
                if name in found:
                    problems += compared(f"{at}.{name}", value, found[name], partial)
                elif value != TIME_IF_KNOWN:
                    problems.append(f"{at}.{name} is missing")
            return problems
        case list(), list() if len(expected) == len(found):
            pairs = enumerate(zip(expected, found, strict=True))
            return [problem for index, pair in pairs for problem in compared(f"{at}[{index}]", *pair, partial)]
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


def of_tree(tree: Tree, root: Path, before: Snapshot, after: Snapshot) -> list[str]:
    """Returns the differences of `after` from the tree, and the lost identities of `before`."""
    problems = []
    wanted = contents(root, tree)
    for path, (kind, content) in wanted.items():
        seen = after.get(path)
        if seen is None:
            problems.append(f"{path} is missing")
        elif (seen.kind, seen.content) != (kind, content):
            problems.append(f"{path}\n      has to be {kind} {str(content)[:400]}\n      but is    {seen}"[:1500])
    problems += [f"{path} is left over" for path in after.keys() - wanted.keys()]
    for path, item in tree.items.items():
        seen = after.get(path)
        if seen and item.mode not in (None, seen.mode):
            problems.append(f"{path} has mode {seen.mode:o}, and should have {item.mode:o}")
        if seen and item.to in after and after[item.to].inode != seen.inode:
            problems.append(f"{path} and {item.to} are different files")
    return problems + _identities(tree, before, after)


def _identities(tree: Tree, before: Snapshot, after: Snapshot) -> list[str]:
    """Returns the items that are other objects than before, or were written without a change."""
    problems = []
    new_names = {old: new for new, old in tree.moved.items()}
    for path, was in before.items():
        now = new_names.get(path, path)
        if now in after and not (now == path and path in tree.moved):
            seen = after[now]
            # Names outside the tree remain, and the trash may keep a deleted name there.
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
