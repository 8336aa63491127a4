"""An agent in sixty lines: pip install fsgate, then python3 loop.py

The model is a script, so that this runs without a key: put a call of a real one in its place. The loop stays as it is.
"""

import tempfile
from pathlib import Path
from typing import Any

from fsgate import Gate, Grant, openai

Message = dict[str, Any]

SCRIPT = [
    ("grep", '{"pattern": "timeout"}'),
    # It stands there twice: nothing is changed, and the answer says where.
    ("edit", '{"path": "settings.py", "old": "10", "new": "30"}'),
    ("edit", '{"path": "settings.py", "old": "timeout = 10", "new": "timeout = 30"}'),
    ("read", '{"path": "../secret.txt"}'),
]
LAST = "The timeout is 30 now. I was not let out of the project."


def scripted(messages: list[Message], tools: list[Message]) -> Message:
    """Stands for a model: takes the conversation and the tools, gives the next message."""
    turn = len(messages) // 2
    if turn == len(SCRIPT):
        return {"role": "assistant", "content": LAST}
    name, arguments = SCRIPT[turn]
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": str(turn), "type": "function", "function": function}]}


def run(gate: Gate, task: str) -> None:
    """Lets the model call tools until it has nothing more to call. What is refused is an answer too: it says what to do next."""
    tools = openai.definitions(gate)
    messages: list[Message] = [{"role": "user", "content": task}]
    while True:
        message = scripted(messages, tools)
        messages.append(message)
        if not message.get("tool_calls"):
            print(message["content"])
            return
        for call in message["tool_calls"]:
            result = openai.carried_out(gate, call)
            first = result["content"].partition("\n")[0]
            print(f"{call['function']['name']} {call['function']['arguments']}\n  {first}")
            messages.append(result)


def main() -> None:
    """A task with a mistake in it that an error repairs, and one that no error lets through."""
    with tempfile.TemporaryDirectory() as scratch:
        project, state = Path(scratch, "project"), Path(scratch, "state")
        project.mkdir()
        (project / "settings.py").write_text("retries = 10\ntimeout = 10\n")
        with Gate([Grant(project, "/project")], state_dir=state) as gate:
            run(gate, "Set the timeout to 30.")
        assert (project / "settings.py").read_text() == "retries = 10\ntimeout = 30\n"


if __name__ == "__main__":
    main()
