"""What stands for something else in the strings of a case. Tags and cursors are worked out here; nobody is asked."""

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from blake3 import blake3

if TYPE_CHECKING:
    from .trees import Tree

#: How far before its place a cursor is bound to the bytes of its file.
BOUND = 4096

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def repeated(text: str) -> str:
    """The text with every `$repeat(3, ab)` written out."""
    return re.sub(r"\$repeat\((\d+), ([^)]*)\)", lambda match: match[2] * int(match[1]), text)


def expanded(value: Any, before: "Tree", after: "Tree", call: str) -> Any:
    """The value with the placeholders of all its strings replaced, but for those that stand for any value."""
    return _expanded(value, before, after, _search(call))


def _expanded(value: Any, before: "Tree", after: "Tree", search: str) -> Any:
    if isinstance(value, str):
        return _string(repeated(value), before, after, search)
    if isinstance(value, list):
        return [_expanded(item, before, after, search) for item in value]
    if isinstance(value, dict):
        return {name: _expanded(item, before, after, search) for name, item in value.items()}
    return value


def _search(call: str) -> str:
    """What ids of occurrences say of the call: the options that change what is found, and `old`."""
    try:
        arguments = json.loads(call)
    except ValueError:
        return ""
    if not isinstance(arguments, dict):
        return ""
    lines = [option for option in ("regex", "exact_line_ends", "escaped") if arguments.get(option) is True]
    if isinstance(label := arguments.get("encoding"), str):
        lines.append(f"encoding={label.lower()}")
    old = arguments.get("old")
    text = "".join(f"{line}\n" for line in lines) + "\n" + (repeated(old) if isinstance(old, str) else "")
    return tag(text.encode())[:6]


def _string(text: str, before: "Tree", after: "Tree", search: str) -> str:
    match = re.fullmatch(r"\$([a-z-]+)\((.*)\)", text, re.DOTALL)
    made = MAKERS.get(match[1]) if match else None
    if match is None or made is None:
        return text
    tree = after if match[1] in ("etag", "range-after") else before
    path, *rest = match[2].split(", ")
    content = tree.content(path)
    if content is None:
        raise ValueError(f"{text}: no such file in the tree")
    if match[1] in OF_CALLS:
        return made(content, path, search, *rest)
    return made(content, path, *rest)


def tag(content: bytes) -> str:
    """The strong tag."""
    return str(blake3(content).hexdigest())[:32]


def _range(content: bytes, _: str, offset: str, length: str) -> str:
    window = content[int(offset) : int(offset) + int(length)]
    if len(window) != int(length):
        raise ValueError("the range goes past the end")
    return f"r{offset}+{length}:{tag(window)}"


def _cursor(content: bytes, _: str, *numbers: str) -> str:
    end = int(numbers[0])
    sealed = b"".join(int(number).to_bytes(8, "little") for number in numbers)
    seal = blake3(sealed + content[max(0, end - BOUND) : end]).hexdigest()
    return f"{'.'.join(numbers)}.{seal[:16]}"


def _occurrence(content: bytes, path: str, search: str, offset: str, shown: str | None = None) -> str:
    return f"{tag((shown or f'/{path}').encode())[:12]}-{tag(content)[:12]}-{search}-{offset}"


def _rest(content: bytes, path: str, search: str, offset: str, below: str) -> str:
    return f"at:{_occurrence(content, path, search, offset)}:{below}"


MAKERS: dict[str, Callable[..., str]] = {
    "etag": lambda content, _: tag(content),
    "etag-before": lambda content, _: tag(content),
    "range": _range,
    "range-after": _range,
    "cursor": _cursor,
    "occurrence": _occurrence,
    "rest": _rest,
}

#: Those that also speak of the call.
OF_CALLS = ("occurrence", "rest")
