"""The generated modules by name."""

from dataclasses import dataclass, replace
from typing import Any

from . import text
from .shapes import Field, Shapes, camel, snake, told
from .wit import Contract

MADE = "Made from the contract by `python3 -m generator`; a test compares."

TYPES = f'''"""What the operations take and return. {MADE}"""

from __future__ import annotations

import builtins
import dataclasses
from dataclasses import dataclass
from typing import {{typing}}
'''

ERRORS = f'''"""One exception for each code of an error. {MADE}"""

from ._error import FsgateError
from .types import {{types}}
'''

METHODS = f'''"""A method for each operation and each front end. {MADE}"""

import builtins
from abc import ABC, abstractmethod
from pathlib import PurePath
from typing import TypeVar

from .types import (
{{types}}
)

T = TypeVar("T")
'''

CLASS = '''
class {name}(ABC):
    """{documentation}"""

    @abstractmethod
    {prefix}def _run(self, tool: str, outcome: type[T], arguments: dict[str, object]) -> T: ...

    @abstractmethod
    {prefix}def _front_end(self, name: str, outcome: type[T], arguments: dict[str, object]) -> T: ...
'''


@dataclass
class Method:
    """An operation or a front end."""

    name: str
    documentation: str
    fields: list[Field]
    outcome: str
    runner: str


def modules(catalogue: list[dict[str, Any]], contract: Contract) -> dict[str, str]:
    """Every module's text by name."""
    shapes = Shapes(contract)
    methods = [_operation(tool, shapes) for tool in catalogue]
    methods += _front_ends(contract, shapes)
    errors = _errors(contract, shapes)
    return {"types.py": _types(shapes), "errors.py": errors, "_methods.py": _methods(methods)}


def _operation(tool: dict[str, Any], shapes: Shapes) -> Method:
    name = tool["name"].replace("_", "-")
    fields = [_taken(field, name, shapes) for field in shapes.fields(tool["input_schema"], f"{name}-args")]
    outcome = shapes.record(tool["outcome_schema"], f"{name}-outcome")
    return Method(tool["name"], tool["description"], fields, outcome, "_run")


def _taken(field: Field, tool: str, shapes: Shapes) -> Field:
    """An argument with all accepted types: paths and bytes have other forms, too, which no outcome
    has.
    """
    written = shapes.contract.types[f"{tool}-args"].members[field.name.replace("_", "-")][0]
    type_ = field.type.replace("builtins.bytes", "builtins.bytes | bytearray | memoryview")
    if written in ("path", "option<path>"):
        type_ = type_.replace("str", "str | PurePath")
    return replace(field, type=type_)


def _front_ends(contract: Contract, shapes: Shapes) -> list[Method]:
    methods = []
    for name, function in contract.functions.get("front-ends", {}).items():
        if function.args is None:
            raise ValueError(f"the front end `{name}` takes no record")
        outcome = shapes.native(function.result)
        fields = shapes.native_fields(function.args)
        methods.append(Method(snake(name), told(function.documentation)[0], fields, outcome, "_front_end"))
    return methods


def _types(shapes: Shapes) -> str:
    blocks = [text.words(name, *shapes.words[name]) for name in sorted(shapes.words)]
    blocks += [["", *text.record(shapes.records[name])] for name in sorted(shapes.records)]
    typing = ["ClassVar"] * any(record.cases is not None for record in shapes.records.values())
    return _joined(TYPES.format(typing=", ".join([*typing, "Literal", "TypeAlias"])), blocks)


def _errors(contract: Contract, shapes: Shapes) -> str:
    blocks, used, by_code = [], set(), []
    for case, (payload, documentation) in contract.types["code"].members.items():
        code, name = snake(case), f"{camel(case)}Error"
        by_code.append(f'    "{code}": {name},')
        block = ["", f"class {name}(FsgateError):", *text.docstring(documentation, "    ")]
        if payload is not None:
            type_ = shapes.native(payload)
            used |= {word for word in type_.split() if word in shapes.records or word in shapes.words}
            field = snake(payload)
            block += ["", "    @property", f"    def {field}(self) -> {type_}:"]
            block += text.docstring(shapes.said(payload), "        ")
            block += [f'        value: {type_} = self._payload("{field}", {type_})', "        return value"]
        blocks.append(block)
    table = ["", "#: The exception of every code.", "BY_CODE: dict[str, type[FsgateError]] = {", *by_code, "}"]
    return _joined(ERRORS.format(types=", ".join(sorted(used))), [*blocks, table])


def _methods(methods: list[Method]) -> str:
    used = sorted({word for method in methods for word in _names(method)})
    blocks = []
    for name, is_async in (("Methods", False), ("AsyncMethods", True)):
        essay = "The same, to be waited for." if is_async else "Every operation and every front end."
        prefix = "async " if is_async else ""
        lines = CLASS.format(name=name, documentation=essay, prefix=prefix).splitlines()[1:]
        for method in methods:
            fields = () if is_async else method.fields
            first = method.documentation.split("\n\n")[0] + f" See `Gate.{method.name}`."
            said = first if is_async else method.documentation
            documentation = text.docstring(said, "        ", fields)
            outcome, runner = method.outcome, method.runner
            lines += ["", *text.method(method.name, method.fields, outcome, runner, documentation, is_async)]
        blocks.append(["", *lines])
    return _joined(METHODS.format(types="\n".join(f"    {name}," for name in used)), blocks)


def _names(method: Method) -> set[str]:
    words = " ".join([method.outcome, *(field.type for field in method.fields)])
    for mark in "[]|,":
        words = words.replace(mark, " ")
    return {word for word in words.split() if word[0].isupper() and word not in ("None", "PurePath")}


def _joined(head: str, blocks: list[list[str]]) -> str:
    return "\n".join([head, *("\n".join([*block, ""]) for block in blocks)])
