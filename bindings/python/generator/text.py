"""Python text in the form of `ruff format`."""

import json
import textwrap
from collections.abc import Iterable

from .shapes import Field, Record

WIDTH = 130

#: Both ends of a docstring, the longer one with an `r` before it.
QUOTES = 7


def wrapped(text: str, indent: str, hanging: str = "") -> list[str]:
    """Paragraphs in lines."""
    lines: list[str] = []
    for paragraph in text.strip().split("\n\n"):
        if lines:
            lines.append("")
        whole = " ".join(paragraph.split())
        wrapper = textwrap.TextWrapper(WIDTH - QUOTES, break_long_words=False, break_on_hyphens=False)
        wrapper.initial_indent, wrapper.subsequent_indent = indent, indent + hanging
        lines += wrapper.wrap(whole)
    return lines


def docstring(text: str, indent: str, fields: Iterable[Field] = ()) -> list[str]:
    """A docstring, with arguments."""
    lines = wrapped(text, indent)
    arguments = [line for field in fields for line in wrapped(f"{field.name}: {field.documentation}", f"{indent}    ", "    ")]
    if arguments:
        lines += ["", f"{indent}Args:", *arguments]
    whole = "\n".join(lines)
    if not whole or '"""' in whole:
        raise ValueError(f"this cannot stand in a docstring: `{whole}`")
    quotes = 'r"""' if "\\" in whole else '"""'
    if len(lines) == 1 and not whole.endswith('"'):
        return [indent + quotes + whole.strip() + '"""']
    return [indent + quotes + lines[0].strip(), *lines[1:], f'{indent}"""']


def record(record: Record) -> list[str]:
    """A dataclass."""
    lines = ["@dataclass(frozen=True, kw_only=True)", f"class {record.name}:"]
    lines += docstring(record.documentation, "    ")
    if record.cases is not None:
        lines += ["", "    CASES: ClassVar[dict[str, str | None]] = {"]
        lines += [f'        "{case}": {json.dumps(name) if name else None},' for case, name in record.cases.items()]
        lines += ["    }"]
    for field in record.fields:
        default = f" = {field.default}" if field.default else ""
        lines += ["", f"    {field.name}: {field.type}{default}", *docstring(field.documentation, "    ")]
    return lines


def words(name: str, words: list[str], documentation: str) -> list[str]:
    """An enumeration."""
    quoted = [f'"{word}"' for word in words]
    one = f"{name}: TypeAlias = Literal[{', '.join(quoted)}]"
    if len(one) > WIDTH:
        one = "\n".join([f"{name}: TypeAlias = Literal[", *(f"    {word}," for word in quoted), "]"])
    return [one, *docstring(documentation, "")]


def method(name: str, fields: list[Field], outcome: str, runner: str, text: list[str], is_async: bool) -> list[str]:
    """A method that passes its arguments on."""
    needed = [field for field in fields if field.default is None]
    options = [field for field in fields if field.default is not None]
    parameters = [f"{field.name}: {field.type}" for field in needed]
    if options:
        parameters += ["*", *(f"{field.name}: {field.type} = None" for field in options)]
    lines = [f"    {'async ' if is_async else ''}def {name}("]
    lines += [f"        {parameter}," for parameter in ["self", *parameters]]
    lines += [f"    ) -> {outcome}:", *text]
    lines += [f"        arguments: dict[str, object] = {{{'' if fields else '}'}"]
    if fields:
        lines += [f'            "{field.name}": {field.name},' for field in fields]
        lines += ["        }"]
    wait = "await " if is_async else ""
    return [*lines, f'        return {wait}self.{runner}("{name}", {outcome}, arguments)']
