"""The common part of the adapters for the tool interfaces of models."""

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from . import _stops
from .async_gate import AsyncGate
from .gate import Answer, Gate, Tool, failed

AnyGate: TypeAlias = Gate | AsyncGate


def is_lean(gate: AnyGate, only: Collection[str] | None) -> bool:
    """Whether a model gets the lean set: unless operations are named, and if the component has it."""
    return only is None and bool(gate.lean_tools())


def offered(gate: AnyGate, only: Collection[str] | None, read_only: bool) -> list[Tool]:
    """The tools for a model: the lean set, or the operations named; of them, with `read_only`, those
    that change nothing.
    """
    tools = gate.lean_tools() if is_lean(gate, only) else gate.tools()
    if unknown := set(only or ()) - {tool.name for tool in tools}:
        raise ValueError(f"no operation is named {', '.join(sorted(unknown))}")
    return [tool for tool in tools if (only is None or tool.name in only) and (tool.annotations["read_only"] or not read_only)]


def answer(gate: Gate, name: str, arguments: Mapping[str, Any] | str, only: Collection[str] | None, read_only: bool) -> Answer:
    """The answer for a model."""
    if isinstance(gate, AsyncGate):
        raise TypeError("the calls of an `AsyncGate` are waited for: take `carried_out_async` or `all_carried_out_async`")
    call = gate.lean_answer if is_lean(gate, only) else gate.answer
    refused = _refused(gate, name, only, read_only)
    return gate._shown(name, "{}", refused, None) if refused else call(name, arguments, "text")


async def answer_async(
    gate: AsyncGate, name: str, arguments: Mapping[str, Any] | str, only: Collection[str] | None, read_only: bool
) -> Answer:
    """The same to be awaited."""
    if isinstance(gate, Gate):
        raise TypeError("the calls of a `Gate` are not waited for: make it an `AsyncGate`, or take `carried_out`")
    call = gate.lean_answer if is_lean(gate, only) else gate.answer
    refused = _refused(gate, name, only, read_only)
    return await (gate._shown(name, "{}", refused, None) if refused else call(name, arguments, "text"))


def _refused(gate: AnyGate, name: str, only: Collection[str] | None, read_only: bool) -> Answer | None:
    """Refuses a tool that was not offered. If all were, the component decides."""
    if only is None and not read_only:
        return None
    names = [tool.name for tool in offered(gate, only, read_only)]
    return None if name in names else failed(_stops.unknown(name, names))


def field(of: Any, name: str) -> Any:
    """A field of an object or a mapping from a client's library."""
    return of.get(name) if isinstance(of, Mapping) else getattr(of, name, None)
