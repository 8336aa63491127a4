"""Filesystem tools for AI agents, sealed in a WebAssembly component.

```python
from fsgate import Gate

with Gate(["project"]) as gate:
    gate.create("notes.md", "# Notes\\n")
    print(gate.read_numbered("notes.md").content)
```

A path outside of the grants has no name inside. Refused calls raise exceptions of `fsgate.errors`;
outcomes are in `fsgate.types`.
"""

from . import errors, types
from ._error import FsgateError, StartError
from .async_gate import AsyncGate
from .gate import Answer, Gate, Tool
from .grants import Grant
from .limits import Durability, HistoryLimits, Limits

__all__ = [
    "Answer",
    "AsyncGate",
    "Durability",
    "FsgateError",
    "Gate",
    "Grant",
    "HistoryLimits",
    "Limits",
    "StartError",
    "Tool",
    "errors",
    "types",
]
