"""The tools for LangChain: `pip install fsgate[langchain]`.

```python
model.bind_tools(langchain.tools(gate))
```
"""

from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING, Any

from ._loop import AnyGate, is_lean, offered
from .async_gate import AsyncGate
from .gate import Answer, Gate

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def tools(gate: AnyGate, only: Collection[str] | None = None, *, read_only: bool = False) -> "list[BaseTool]":
    """The lean set of ten tools, or the operations named in `only`; with `read_only`, those that change
    nothing. They return JSON; a refused call is a message with the status `error` and the next step.
    Tools of an `AsyncGate` need `ainvoke`.
    """
    lean = is_lean(gate, only)
    # Not at the top: the package works without it.
    from langchain_core.tools import StructuredTool

    return [
        StructuredTool(
            name=tool.name,
            description=tool.description,
            args_schema=tool.input_schema,
            func=_caller(gate, tool.name, lean) if isinstance(gate, Gate) else None,
            coroutine=_async_caller(gate, tool.name, lean) if isinstance(gate, AsyncGate) else None,
            handle_tool_error=True,
            metadata=dict(tool.annotations),
        )
        for tool in offered(gate, only, read_only)
    ]


def _caller(gate: Gate, name: str, lean: bool) -> Callable[..., str]:
    answer = gate.lean_answer if lean else gate.answer

    def call(**arguments: Any) -> str:
        return _told(answer(name, arguments, "text"))

    return call


def _async_caller(gate: AsyncGate, name: str, lean: bool) -> Callable[..., Awaitable[str]]:
    answer = gate.lean_answer if lean else gate.answer

    async def call(**arguments: Any) -> str:
        return _told(await answer(name, arguments, "text"))

    return call


def _told(answer: Answer) -> str:
    from langchain_core.tools import ToolException

    if answer.is_error:
        raise ToolException(answer.text)
    return answer.text
