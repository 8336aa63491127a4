"""The tools for models of Anthropic: the Messages interface.

```python
message = client.messages.create(model=…, messages=messages, tools=anthropic.definitions(gate), max_tokens=…)
messages.append({"role": "assistant", "content": message.content})
messages.append({"role": "user", "content": anthropic.all_carried_out(gate, message.content)})
```
"""

from collections.abc import Collection, Iterable
from typing import Any

from ._loop import answer, field, offered
from .gate import Gate


def definitions(gate: Gate, only: Collection[str] | None = None, *, read_only: bool = False) -> list[dict[str, Any]]:
    """What `tools` takes: all operations, or those named in `only`, or those that change nothing."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
        for tool in offered(gate, only, read_only)
    ]


def carried_out(gate: Gate, block: Any, only: Collection[str] | None = None, *, read_only: bool = False) -> dict[str, Any]:
    """Carries out a block `tool_use`. Returns the block that answers it. An error is an answer as well: it says what to do next.
    Pass the choice that the definitions had.
    """
    found = answer(gate, field(block, "name"), field(block, "input"), only, read_only)
    return {"type": "tool_result", "tool_use_id": field(block, "id"), "content": found.text, "is_error": found.is_error}


def all_carried_out(
    gate: Gate, content: Iterable[Any], only: Collection[str] | None = None, *, read_only: bool = False
) -> list[dict[str, Any]]:
    """Carries out every block `tool_use` of a message, in its order: what the next message of the user has to begin with."""
    blocks = [block for block in content if field(block, "type") == "tool_use"]
    return [carried_out(gate, block, only, read_only=read_only) for block in blocks]
