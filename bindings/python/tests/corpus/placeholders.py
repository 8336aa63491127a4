"""What stands for something else in the strings of a case. Tags and cursors are worked out here; nobody is asked."""

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


def expanded(value: Any, before: "Tree", after: "Tree") -> Any:
    """The value with the placeholders of all its strings replaced, but for those that stand for any value."""
    if isinstance(value, str):
        return _string(repeated(value), before, after)
    if isinstance(value, list):
        return [expanded(item, before, after) for item in value]
    if isinstance(value, dict):
        return {name: expanded(item, before, after) for name, item in value.items()}
    return value


def _string(text: str, before: "Tree", after: "Tree") -> str:
    match = re.fullmatch(r"\$([a-z-]+)\((.*)\)", text, re.DOTALL)
    made = MAKERS.get(match[1]) if match else None
    if match is None or made is None:
        return text
    tree = after if match[1] in ("etag", "range-after") else before
    path, *rest = match[2].split(", ")
    content = tree.content(path)
    if content is None:
        raise ValueError(f"{text}: no such file in the tree")
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


def _occurrence(content: bytes, path: str, offset: str, shown: str | None = None) -> str:
    return f"{tag((shown or f'/{path}').encode())[:12]}-{tag(content)[:12]}-{offset}"


def _rest(content: bytes, path: str, offset: str, below: str) -> str:
    return f"at:{_occurrence(content, path, offset)}:{below}"


MAKERS: dict[str, Callable[..., str]] = {
    "etag": lambda content, _: tag(content),
    "etag-before": lambda content, _: tag(content),
    "range": _range,
    "range-after": _range,
    "cursor": _cursor,
    "occurrence": _occurrence,
    "rest": _rest,
}
