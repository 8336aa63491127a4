"""What the adapters for the tool interfaces of models share."""

from collections.abc import Collection, Mapping
from typing import Any

from . import _stops
from .gate import Answer, Gate, Tool, failed


def offered(gate: Gate, only: Collection[str] | None, read_only: bool) -> list[Tool]:
    """The operations that a model is told about: all of them, or some by their names, or what changes nothing."""
    tools = gate.tools()
    if unknown := set(only or ()) - {tool.name for tool in tools}:
        raise ValueError(f"no operation is named {', '.join(sorted(unknown))}")
    return [tool for tool in tools if (only is None or tool.name in only) and (tool.annotations["read_only"] or not read_only)]


def answer(gate: Gate, name: str, arguments: Mapping[str, Any] | str, only: Collection[str] | None, read_only: bool) -> Answer:
    """What a model is answered. What was not offered to it is not there."""
    if only is None and not read_only:
        return gate.answer(name, arguments)
    names = [tool.name for tool in offered(gate, only, read_only)]
    return gate.answer(name, arguments) if name in names else failed(_stops.unknown(name, names))


def field(of: Any, name: str) -> Any:
    """A field of what a client's library has returned: an object, or the mapping that it was made from."""
    return of.get(name) if isinstance(of, Mapping) else getattr(of, name, None)
