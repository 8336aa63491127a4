"""The tools in the forms of the tool interfaces of models."""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conftest import Opener
from fsgate import Gate, anthropic, openai


@pytest.fixture
def gate(opened: Opener, tmp_path: Path) -> Gate:
    (tmp_path / "w/a").write_text("text")
    return opened()


CALLS: list[tuple[str, dict[str, Any], str | None]] = [
    ("read", {"path": "a"}, None),
    ("create", {"path": "b", "content": "new"}, None),
    ("read", {"path": "none"}, "not_found"),
    ("read", {"pth": "a"}, "invalid_argument"),
    ("no_such_tool", {}, "unknown_tool"),
]


def told(text: str, code: str | None) -> None:
    answer = json.loads(text)
    assert answer.get("code") == code
    assert code is not None or answer["path"].startswith("/w/")


@pytest.mark.parametrize(("name", "arguments", "code"), CALLS)
@pytest.mark.parametrize("form", [dict, SimpleNamespace])
def test_openai_carries_out(gate: Gate, form: Any, name: str, arguments: dict[str, Any], code: str | None) -> None:
    text = json.dumps(arguments)
    message = openai.carried_out(gate, form(id="c1", type="function", function=form(name=name, arguments=text)))
    told(message.pop("content"), code)
    assert message == {"role": "tool", "tool_call_id": "c1"}


@pytest.mark.parametrize("form", [dict, SimpleNamespace])
def test_openai_carries_out_items_of_responses(gate: Gate, form: Any) -> None:
    item = openai.carried_out(gate, form(type="function_call", call_id="c1", id="x", name="read", arguments='{"path": "a"}'))
    told(item.pop("output"), None)
    assert item == {"type": "function_call_output", "call_id": "c1"}


def test_openai_is_told_what_it_takes(gate: Gate) -> None:
    functions = [definition["function"] for definition in openai.definitions(gate)]
    assert len(functions) == len(gate.tools())
    for function in functions:
        assert function.keys() == {"name", "description", "parameters"}
        assert 0 < len(function["description"]) <= openai.DESCRIPTION
        assert function["parameters"]["type"] == "object"
    flat = openai.response_definitions(gate, ["read"])
    assert [(tool["type"], tool["name"], tool["strict"]) for tool in flat] == [("function", "read", False)]


@pytest.mark.parametrize(("name", "arguments", "code"), CALLS)
@pytest.mark.parametrize("form", [dict, SimpleNamespace])
def test_anthropic_carries_out(gate: Gate, form: Any, name: str, arguments: dict[str, Any], code: str | None) -> None:
    content = [form(type="text", text="Let me see."), form(type="tool_use", id="t1", name=name, input=arguments)]
    (block,) = anthropic.all_carried_out(gate, content)
    told(block.pop("content"), code)
    assert block == {"type": "tool_result", "tool_use_id": "t1", "is_error": code is not None}


def test_anthropic_is_told_what_it_takes(gate: Gate) -> None:
    (read,) = anthropic.definitions(gate, ["read"])
    assert read["input_schema"]["required"] == ["path"]
    assert len(anthropic.definitions(gate)) == len(gate.tools())


def test_what_was_not_offered_is_not_there(gate: Gate, tmp_path: Path) -> None:
    only = ["read"]
    call = {"id": "c1", "function": {"name": "delete", "arguments": '{"path": "a"}'}}
    told(openai.carried_out(gate, call, only)["content"], "unknown_tool")
    block = {"type": "tool_use", "id": "t1", "name": "delete", "input": {"path": "a"}}
    told(anthropic.carried_out(gate, block, only)["content"], "unknown_tool")
    assert (tmp_path / "w/a").exists()
    with pytest.raises(ValueError, match="rm"):
        openai.definitions(gate, ["rm"])


@pytest.mark.parametrize(("name", "arguments", "code"), CALLS)
def test_langchain_carries_out(gate: Gate, name: str, arguments: dict[str, Any], code: str | None) -> None:
    core = pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from fsgate import langchain

    tools = {tool.name: tool for tool in langchain.tools(gate)}
    if name not in tools:
        return
    call = {"type": "tool_call", "id": "c1", "name": name, "args": arguments}
    message = asyncio.run(tools[name].ainvoke(call)) if name == "read" else tools[name].invoke(call)
    assert isinstance(message, core.messages.ToolMessage)
    assert (message.tool_call_id, message.status) == ("c1", "error" if code else "success")
    told(message.content, code)


def test_langchain_is_told_what_it_takes(gate: Gate) -> None:
    core = pytest.importorskip("langchain_core.utils.function_calling", reason="langchain-core is not installed")
    from fsgate import langchain

    (read,) = langchain.tools(gate, ["read"])
    function = core.convert_to_openai_tool(read)["function"]
    assert function["parameters"]["properties"].keys() == gate.tools()[0].input_schema["properties"].keys()
