"""An agent in sixty lines: pip install fsgate, then python3 loop.py

The model is a script, so that this runs without a key; the loop around it is the one that a real model has.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fsgate import Gate, Grant, openai

Message = dict[str, Any]
Model = Callable[[list[Message], list[dict[str, Any]]], Message]


def scripted_model(*turns: tuple[str, dict[str, Any]] | str) -> Model:
    """A model that calls these tools, one in a turn, and says this in the end."""
    script: Iterator[tuple[str, dict[str, Any]] | str] = iter(turns)

    def model(messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        turn = next(script)
        if isinstance(turn, str):
            return {"role": "assistant", "content": turn}
        function = {"name": turn[0], "arguments": json.dumps(turn[1])}
        return {"role": "assistant", "tool_calls": [{"id": f"call_{len(messages)}", "type": "function", "function": function}]}

    return model


def run(gate: Gate, model: Model, task: str) -> list[Message]:
    """Lets the model call tools until it has nothing more to call."""
    tools = openai.definitions(gate)
    messages: list[Message] = [{"role": "user", "content": task}]
    while True:
        message = model(messages, tools)
        messages.append(message)
        if not message.get("tool_calls"):
            return messages
        messages += [openai.carried_out(gate, call) for call in message["tool_calls"]]


def main() -> None:
    """A task with a mistake in it that an error repairs, and one that no error lets through."""
    model = scripted_model(
        ("read_numbered", {"path": "settings.py"}),
        ("replace", {"path": "settings.py", "old": "10", "new": "30"}),
        ("replace", {"path": "settings.py", "old": "timeout = 10", "new": "timeout = 30"}),
        ("read", {"path": "../secret.txt"}),
        "The timeout is 30 now. I was not let out of the project.",
    )
    with tempfile.TemporaryDirectory() as scratch:
        project, state = Path(scratch, "project"), Path(scratch, "state")
        project.mkdir()
        (project / "settings.py").write_text("retries = 10\ntimeout = 10\n")
        with Gate([Grant(project, "/project")], state_dir=state) as gate:
            for message in run(gate, model, "Set the timeout to 30."):
                print(json.dumps(message))
        assert (project / "settings.py").read_text() == "retries = 10\ntimeout = 30\n"


if __name__ == "__main__":
    main()
