"""What the adapters for the tool interfaces of models share."""

from collections.abc import Collection, Mapping
from typing import Any

from . import _stops
from .gate import Answer, Gate, Tool, failed


def offered(gate: Gate, only: Collection[str] | None) -> list[Tool]:
    """The operations that a model is told about: all of them, or some by their names."""
    tools = gate.tools()
    if unknown := set(only or ()) - {tool.name for tool in tools}:
        raise ValueError(f"no operation is named {', '.join(sorted(unknown))}")
    return [tool for tool in tools if only is None or tool.name in only]


def answer(gate: Gate, name: str, arguments: Mapping[str, Any] | str, only: Collection[str] | None) -> Answer:
    """What a model is answered. What was not offered to it is not there."""
    if only is None or name in only:
        return gate.answer(name, arguments)
    return failed(_stops.unknown(name, sorted(only)))


def field(of: Any, name: str) -> Any:
    """A field of what a client's library has returned: an object, or the mapping that it was made from."""
    return of.get(name) if isinstance(of, Mapping) else getattr(of, name, None)
