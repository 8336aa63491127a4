"""From Python's values to the component's and back, by the types of its functions.

Names are in snake_case here and in kebab-case there. A variant is a mapping with its `case` and its
`payload`.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from wasmtime.component import EnumType, ListType, OptionType, Record, RecordType, ResultType, Variant, VariantType


def lowered(type_: Any, value: Any) -> Any:
    """A value for the component."""
    if isinstance(type_, RecordType):
        given = dict(vars(value) if dataclasses.is_dataclass(value) else value)
        record = Record()
        for name, inner in type_.fields:
            setattr(record, name, lowered(inner, given.pop(snake(name), None)))
        if given:
            raise TypeError(f"there is no argument {', '.join(given)}")
        return record
    if isinstance(type_, OptionType):
        return None if value is None else lowered(type_.payload, value)
    if isinstance(type_, ListType) and not isinstance(value, (bytes, bytearray)):
        return [lowered(type_.element, item) for item in value]
    if isinstance(type_, EnumType):
        return value.replace("_", "-")
    return value


def lifted(type_: Any, value: Any) -> Any:
    """A returned value of the component."""
    if isinstance(type_, RecordType):
        return {snake(name): lifted(inner, getattr(value, name)) for name, inner in type_.fields}
    if isinstance(type_, OptionType):
        return None if value is None else lifted(type_.payload, value)
    if isinstance(type_, ListType) and not isinstance(value, bytes):
        return [lifted(type_.element, item) for item in value]
    if isinstance(type_, EnumType):
        return snake(value)
    if isinstance(type_, VariantType):
        return _case(dict(type_.cases), value)
    if isinstance(type_, ResultType):
        return _case({"ok": type_.ok, "err": type_.err}, value)
    return value


def _case(cases: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """A case and its payload. The engine leaves the case out where the payload's class tells it."""
    if isinstance(value, Variant):
        return {"case": snake(value.tag), "payload": lifted(cases[value.tag], value.payload)}
    for name, inner in cases.items():
        classes: set[type] = {type(None)}
        if inner is not None:
            classes.clear()
            inner.add_classes(classes)
        if isinstance(value, tuple(classes)):
            return {"case": snake(name), "payload": lifted(inner, value)}
    raise TypeError(f"{value!r} is none of {', '.join(cases)}")


def snake(name: str) -> str:
    """A name in Python's form."""
    return name.replace("-", "_")
