"""The tools for models of OpenAI, and of all who speak the same: the Chat Completions and the Responses interface.

```python
response = client.chat.completions.create(model=…, messages=messages, tools=openai.definitions(gate))
message = response.choices[0].message
messages += [message, *(openai.carried_out(gate, call) for call in message.tool_calls or [])]
```
"""

from collections.abc import Collection
from typing import Any

from ._loop import answer, field, offered
from .gate import Gate

#: The longest description that everybody takes who speaks one of these interfaces, in characters.
DESCRIPTION = 1024


def definitions(gate: Gate, only: Collection[str] | None = None) -> list[dict[str, Any]]:
    """What `tools` takes in Chat Completions: all operations, or those named in `only`."""
    return [{"type": "function", "function": function} for function in _functions(gate, only)]


def response_definitions(gate: Gate, only: Collection[str] | None = None) -> list[dict[str, Any]]:
    """What `tools` takes in Responses."""
    # Strict schemas have no optional arguments.
    return [{"type": "function", "strict": False, **function} for function in _functions(gate, only)]


def carried_out(gate: Gate, call: Any, only: Collection[str] | None = None) -> dict[str, Any]:
    """Carries out one of a message's `tool_calls`, or an item `function_call` of a response. Returns the message, or the item,
    that answers it. An error is an answer as well: it says what to do next. Pass the `only` that the definitions had.
    """
    function = field(call, "function")
    name, arguments = (field(function or call, part) for part in ("name", "arguments"))
    text = answer(gate, name, arguments, only).text
    if function is None:
        return {"type": "function_call_output", "call_id": field(call, "call_id"), "output": text}
    return {"role": "tool", "tool_call_id": field(call, "id"), "content": text}


def _functions(gate: Gate, only: Collection[str] | None) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "description": _shortened(tool.description), "parameters": tool.input_schema}
        for tool in offered(gate, only)
    ]


def _shortened(description: str) -> str:
    """As many whole paragraphs as there is room for."""
    while len(description) > DESCRIPTION:
        description, _, _ = description.rpartition("\n\n")
    return description
