"""The tools for models of OpenAI and compatible interfaces: Chat Completions and Responses.

```python
response = client.chat.completions.create(model=…, messages=messages, tools=openai.definitions(gate))
message = response.choices[0].message
messages += [message, *openai.all_carried_out(gate, message.tool_calls or [])]
```

With an `AsyncGate`: `await openai.all_carried_out_async(gate, message.tool_calls or [])`.
"""

from collections.abc import Collection, Iterable
from typing import Any

from ._loop import AnyGate, answer, answer_async, field, offered
from .async_gate import AsyncGate
from .gate import Answer, Gate


def definitions(gate: AnyGate, only: Collection[str] | None = None, *, read_only: bool = False) -> list[dict[str, Any]]:
    """The value of `tools` in Chat Completions: the lean set of ten tools, or the operations named in
    `only`; with `read_only`, those that change nothing.
    """
    return [{"type": "function", "function": function} for function in _functions(gate, only, read_only)]


def response_definitions(gate: AnyGate, only: Collection[str] | None = None, *, read_only: bool = False) -> list[dict[str, Any]]:
    """The value of `tools` in Responses."""
    # Strict schemas have no optional arguments.
    return [{"type": "function", "strict": False, **function} for function in _functions(gate, only, read_only)]


def carried_out(gate: Gate, call: Any, only: Collection[str] | None = None, *, read_only: bool = False) -> dict[str, Any]:
    """Carries out one of a message's `tool_calls`, or an item `function_call` of a response, and
    returns the answering message or item. An error is an answer too, with the next step. Pass the
    choice of the definitions.

    Raises `ValueError` for an item that calls no function: others have to answer it.
    """
    return _answered(call, answer(gate, *_called(call), only, read_only))


async def carried_out_async(
    gate: AsyncGate, call: Any, only: Collection[str] | None = None, *, read_only: bool = False
) -> dict[str, Any]:
    """The same to be awaited."""
    return _answered(call, await answer_async(gate, *_called(call), only, read_only))


def all_carried_out(
    gate: Gate, calls: Iterable[Any], only: Collection[str] | None = None, *, read_only: bool = False
) -> list[dict[str, Any]]:
    """Carries out a message's `tool_calls`, or the items `function_call` in the `output` of a
    response, in order: a later one may build on an earlier one. Other items, such as calls of type
    `custom`, are ignored.
    """
    return [carried_out(gate, call, only, read_only=read_only) for call in calls if _is_call(call)]


async def all_carried_out_async(
    gate: AsyncGate, calls: Iterable[Any], only: Collection[str] | None = None, *, read_only: bool = False
) -> list[dict[str, Any]]:
    """The same to be awaited."""
    return [await carried_out_async(gate, call, only, read_only=read_only) for call in calls if _is_call(call)]


def _is_call(call: Any) -> bool:
    return field(call, "function") is not None or field(call, "type") == "function_call"


def _called(call: Any) -> tuple[str, str]:
    """The name and the arguments."""
    if not _is_call(call):
        raise ValueError(f"`{field(call, 'type')}` is no call of a function; `all_carried_out` passes such over")
    function = field(call, "function") or call
    return field(function, "name"), field(function, "arguments")


def _answered(call: Any, answer: Answer) -> dict[str, Any]:
    if field(call, "function") is None:
        return {"type": "function_call_output", "call_id": field(call, "call_id"), "output": answer.text}
    return {"role": "tool", "tool_call_id": field(call, "id"), "content": answer.text}


def _functions(gate: AnyGate, only: Collection[str] | None, read_only: bool) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
        for tool in offered(gate, only, read_only)
    ]
