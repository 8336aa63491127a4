"""The tools for LangChain: `pip install fsgate[langchain]`.

```python
model.bind_tools(langchain.tools(gate))
```
"""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from ._loop import offered
from .gate import Gate

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def tools(gate: Gate, only: Collection[str] | None = None, *, read_only: bool = False) -> "list[BaseTool]":
    """All operations, or those named in `only`, or those that change nothing, as tools. What they return is JSON; a refused call
    is a message with the status `error`, which says what to do next.
    """
    # Not at the top: the package does without it.
    from langchain_core.tools import StructuredTool

    return [
        StructuredTool(
            name=tool.name,
            description=tool.description,
            args_schema=tool.input_schema,
            func=_caller(gate, tool.name),
            handle_tool_error=True,
            metadata=dict(tool.annotations),
        )
        for tool in offered(gate, only, read_only)
    ]


def _caller(gate: Gate, name: str) -> Callable[..., str]:
    from langchain_core.tools import ToolException

    def call(**arguments: Any) -> str:
        answer = gate.answer(name, arguments)
        if answer.is_error:
            raise ToolException(answer.text)
        return answer.text

    return call
