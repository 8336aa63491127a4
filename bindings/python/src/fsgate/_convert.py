"""From JSON to dataclasses and back, by annotations.

Unknown fields of a newer component are ignored; a missing one gets its default.
"""

import base64
import dataclasses
import types
from collections.abc import Mapping
from functools import cache
from pathlib import PurePath
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def decoded(type_: Any, value: Any) -> Any:
    """A value of this type from JSON."""
    origin = get_origin(type_)
    if origin in (Union, types.UnionType):
        inner = next(inner for inner in get_args(type_) if inner is not type(None))
        return None if value is None else decoded(inner, value)
    if origin is list:
        (element,) = get_args(type_)
        return [decoded(element, item) for item in value]
    if origin is Literal:
        return value
    if type_ is bytes and isinstance(value, str):
        return base64.b64decode(value)
    if dataclasses.is_dataclass(type_) and isinstance(type_, type):
        fields = _fields(type_)
        # A variant has the case under its own name, and the payload under that of its type.
        if cases := getattr(type_, "CASES", None):
            value = {next(iter(fields)): value["case"], cases[value["case"]]: value["payload"]}
        return type_(**{name: decoded(fields[name], value[name]) for name in fields if name in value})
    return value


@cache
def _fields(type_: type) -> dict[str, Any]:
    hints = get_type_hints(type_)
    return {field.name: hints[field.name] for field in dataclasses.fields(type_)}


def encoded(value: object) -> Any:
    """A value for JSON, without `None`, which the contract leaves out."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, PurePath):
        return value.as_posix()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return {name: encoded(item) for name, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [encoded(item) for item in value]
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise TypeError(
        f"no JSON says a `{type(value).__name__}`: give a text, a number, True or False, bytes, a path, a list, or a "
        "mapping with texts for names"
    )
