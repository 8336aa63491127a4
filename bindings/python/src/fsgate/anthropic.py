"""The tools for models of Anthropic: the Messages interface.

```python
message = client.messages.create(model=…, messages=messages, tools=anthropic.definitions(gate), max_tokens=…)
messages.append({"role": "assistant", "content": message.content})
messages.append({"role": "user", "content": anthropic.all_carried_out(gate, message.content)})
```

With an `AsyncGate`: `await anthropic.all_carried_out_async(gate, message.content)`.
"""

from collections.abc import Collection, Iterable
from typing import Any

from ._loop import AnyGate, answer, answer_async, field, offered
from .async_gate import AsyncGate
from .gate import Answer, Gate


def definitions(gate: AnyGate, only: Collection[str] | None = None, *, read_only: bool = False) -> list[dict[str, Any]]:
    """The value of `tools`: the lean set of ten tools, or the operations named in `only`; with
    `read_only`, those that change nothing.
    """
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
        for tool in offered(gate, only, read_only)
    ]


def carried_out(gate: Gate, block: Any, only: Collection[str] | None = None, *, read_only: bool = False) -> dict[str, Any]:
    """Carries out a block `tool_use`, and returns the answering block. An error is an answer too,
    with the next step. Pass the choice of the definitions.
    """
    return _answered(block, answer(gate, field(block, "name"), field(block, "input"), only, read_only))


async def carried_out_async(
    gate: AsyncGate, block: Any, only: Collection[str] | None = None, *, read_only: bool = False
) -> dict[str, Any]:
    """The same to be awaited."""
    return _answered(block, await answer_async(gate, field(block, "name"), field(block, "input"), only, read_only))


def all_carried_out(
    gate: Gate, content: Iterable[Any], only: Collection[str] | None = None, *, read_only: bool = False
) -> list[dict[str, Any]]:
    """Carries out every block `tool_use` of a message in order. The next message of the user has to
    begin with the results.
    """
    return [carried_out(gate, block, only, read_only=read_only) for block in content if _is_call(block)]


async def all_carried_out_async(
    gate: AsyncGate, content: Iterable[Any], only: Collection[str] | None = None, *, read_only: bool = False
) -> list[dict[str, Any]]:
    """The same to be awaited."""
    return [await carried_out_async(gate, block, only, read_only=read_only) for block in content if _is_call(block)]


def _is_call(block: Any) -> bool:
    return bool(field(block, "type") == "tool_use")


def _answered(block: Any, answer: Answer) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": field(block, "id"), "content": answer.text, "is_error": answer.is_error}
