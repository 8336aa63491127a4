"""The tools in the forms of the tool interfaces of models."""

import asyncio
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conftest import Opener
from fsgate import AsyncGate, Gate, anthropic, openai


@pytest.fixture
def gate(opened: Opener, tmp_path: Path) -> Gate:
    (tmp_path / "w/a").write_text("text")
    return opened()


CALLS: list[tuple[str, dict[str, Any], str | None]] = [
    ("read", {"path": "a"}, None),
    ("write", {"path": "b", "content": "new", "mode": "create"}, None),
    ("read", {"path": "none"}, "not_found"),
    ("read", {"pth": "a"}, "invalid_argument"),
    ("no_such_tool", {}, "unknown_tool"),
]


def told(text: str, code: str | None) -> None:
    """The text is one for a model, and has the code of an error first."""
    first = re.match(r"([a-z_]+): ", text)
    assert (first and first[1]) == code, text
    assert text and not text.startswith("{"), text


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


@pytest.mark.parametrize("form", [dict, SimpleNamespace])
@pytest.mark.parametrize(
    ("call", "answered"),
    [
        ({"id": "c", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}, "c"),
        ({"id": "c", "type": "custom", "custom": {"name": "grammar", "input": "text"}}, None),
        ({"type": "function_call", "id": "x", "call_id": "c", "name": "read", "arguments": '{"path": "a"}'}, "c"),
        ({"type": "custom_tool_call", "id": "x", "call_id": "c", "name": "grammar", "input": "text"}, None),
        ({"type": "message", "content": []}, None),
        ({"type": "reasoning", "summary": []}, None),
    ],
)
def test_openai_passes_over_what_calls_no_function(gate: Gate, form: Any, call: dict[str, Any], answered: str | None) -> None:
    item = form(**{name: form(**part) if isinstance(part, dict) else part for name, part in call.items()})
    found = openai.all_carried_out(gate, [item, item])
    assert [answer.get("tool_call_id", answer.get("call_id")) for answer in found] == ([answered] * 2 if answered else [])
    if answered is None:
        with pytest.raises(ValueError, match=f"`{call['type']}` is no call of a function"):
            openai.carried_out(gate, item)


def test_openai_is_told_what_it_takes(gate: Gate) -> None:
    functions = [definition["function"] for definition in openai.definitions(gate)]
    assert len(functions) == len(gate.lean_tools()) == 10
    for function, tool in zip(functions, gate.lean_tools(), strict=True):
        assert function.keys() == {"name", "description", "parameters"}
        # Some who speak these interfaces take no longer one.
        assert function["description"] == tool.description and 0 < len(tool.description) <= 1024
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


@pytest.mark.parametrize("choice", [{}, {"only": ["read"]}, {"read_only": True}])
def test_what_is_waited_for_is_answered_alike(gate: Gate, choice: dict[str, Any]) -> None:
    named = [(name, arguments) for name, arguments, _ in CALLS if name != "write"] + [("read", {"path": "a", "numbers": True})]
    functions = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in named]
    calls = [{"id": f"c{at}", "type": "function", "function": function} for at, function in enumerate(functions)]
    items = [{"type": "function_call", "call_id": f"c{at}", **function} for at, function in enumerate(functions)]
    blocks = [{"type": "tool_use", "id": f"t{at}", "name": name, "input": given} for at, (name, given) in enumerate(named)]
    forms: list[tuple[Any, Any]] = [(openai, calls), (openai, items), (anthropic, blocks)]
    other = {"type": "text", "text": "Let me see."}
    expected = [module.all_carried_out(gate, [other, *asked], **choice) for module, asked in forms]
    offers = [module.definitions(gate, **choice) for module, _ in forms]

    async def session() -> None:
        async with AsyncGate(gate) as waiting:
            for (module, asked), answers, offer in zip(forms, expected, offers, strict=True):
                assert module.definitions(waiting, **choice) == offer
                assert await module.all_carried_out_async(waiting, [other, *asked], **choice) == answers
                assert await module.carried_out_async(waiting, asked[0], **choice) == answers[0]
                assert len(answers) == len(named)

    asyncio.run(session())


def test_the_form_is_that_of_the_gate(gate: Gate, tmp_path: Path) -> None:
    call = {"id": "c1", "function": {"name": "delete", "arguments": '{"path": "a"}'}}
    block = {"type": "tool_use", "id": "t1", "name": "delete", "input": {"path": "a"}}
    forms: list[tuple[Any, Any]] = [(openai, call), (anthropic, block)]

    async def session() -> None:
        for module, asked in forms:
            with pytest.raises(TypeError, match="make it an `AsyncGate`"):
                await module.carried_out_async(gate, asked)
        async with AsyncGate(gate) as waiting:
            for module, asked in forms:
                with pytest.raises(TypeError, match="carried_out_async"):
                    module.carried_out(waiting, asked)

    asyncio.run(session())
    assert (tmp_path / "w/a").exists()


def test_anthropic_is_told_what_it_takes(gate: Gate) -> None:
    (read,) = anthropic.definitions(gate, ["read"])
    assert read["input_schema"]["required"] == ["path"]
    assert len(anthropic.definitions(gate)) == len(gate.lean_tools())


def test_what_was_not_offered_is_not_there(gate: Gate, tmp_path: Path) -> None:
    only = ["read"]
    call = {"id": "c1", "function": {"name": "delete", "arguments": '{"path": "a"}'}}
    told(openai.carried_out(gate, call, only)["content"], "unknown_tool")
    block = {"type": "tool_use", "id": "t1", "name": "delete", "input": {"path": "a"}}
    told(anthropic.carried_out(gate, block, only)["content"], "unknown_tool")
    assert (tmp_path / "w/a").exists()
    with pytest.raises(ValueError, match="rm"):
        openai.definitions(gate, ["rm"])


def chat(gate: Gate, name: str, **choice: Any) -> tuple[list[str], str]:
    """What is offered by a choice, and what a call of one of them, or of another one, is answered."""
    call = {"id": "c1", "function": {"name": name, "arguments": '{"path": "a"}'}}
    (answer,) = openai.all_carried_out(gate, [call], **choice)
    return [tool["function"]["name"] for tool in openai.definitions(gate, **choice)], answer["content"]


def responses(gate: Gate, name: str, **choice: Any) -> tuple[list[str], str]:
    call = {"type": "function_call", "call_id": "c1", "name": name, "arguments": '{"path": "a"}'}
    return [tool["name"] for tool in openai.response_definitions(gate, **choice)], openai.carried_out(gate, call, **choice)[
        "output"
    ]


def messages(gate: Gate, name: str, **choice: Any) -> tuple[list[str], str]:
    block = {"type": "tool_use", "id": "t1", "name": name, "input": {"path": "a"}}
    (answer,) = anthropic.all_carried_out(gate, [block], **choice)
    return [tool["name"] for tool in anthropic.definitions(gate, **choice)], answer["content"]


def in_langchain(gate: Gate, name: str, **choice: Any) -> tuple[list[str], str]:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from fsgate import langchain

    tools = {tool.name: tool for tool in langchain.tools(gate, **choice)}
    call = {"type": "tool_call", "id": "c1", "name": name, "args": {"path": "a"}}
    # Its own loop knows no other tools.
    return list(tools), tools[name].invoke(call).content if name in tools else "unknown_tool: it is not there"


@pytest.mark.parametrize("interface", [chat, responses, messages, in_langchain])
@pytest.mark.parametrize(
    ("choice", "name", "code"),
    [
        ({}, "read", None),
        ({}, "delete", None),
        ({"read_only": False}, "delete", None),
        ({"read_only": True}, "read", None),
        ({"read_only": True}, "delete", "unknown_tool"),
        ({"only": ["read", "delete"], "read_only": True}, "read", None),
        ({"only": ["read", "delete"], "read_only": True}, "delete", "unknown_tool"),
        ({"only": ["delete"]}, "delete", None),
        ({"only": []}, "read", "unknown_tool"),
    ],
)
def test_a_choice_holds_for_what_is_offered_and_for_what_is_called(
    gate: Gate, tmp_path: Path, interface: Any, choice: dict[str, Any], name: str, code: str | None
) -> None:
    names, text = interface(gate, name, **choice)
    told(text, code)
    assert (name in names) == (code is None)
    assert (tmp_path / "w/a").exists() == (name == "read" or code is not None)
    looks = {tool.name for tool in gate.tools() + gate.lean_tools() if tool.annotations["read_only"]}
    assert looks.issuperset(names) == bool(choice.get("read_only") or choice.get("only") == [])
    assert set(names).issubset(choice.get("only", names))


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


def test_langchain_waits(gate: Gate) -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from fsgate import langchain

    async def session() -> None:
        async with AsyncGate(gate) as waiting:
            tools = {tool.name: tool for tool in langchain.tools(waiting)}
            assert tools.keys() == {tool.name for tool in gate.lean_tools()}
            for name, arguments, code in CALLS:
                if name in tools:
                    message = await tools[name].ainvoke({"type": "tool_call", "id": "c1", "name": name, "args": arguments})
                    assert (message.tool_call_id, message.status) == ("c1", "error" if code else "success")
                    told(message.content, code)
            assert [tool.name for tool in langchain.tools(waiting, ["read", "delete"], read_only=True)] == ["read"]
            with pytest.raises(NotImplementedError):
                tools["read"].invoke({"type": "tool_call", "id": "c1", "name": "read", "args": {"path": "a"}})

    asyncio.run(session())


def test_langchain_is_told_what_it_takes(gate: Gate) -> None:
    core = pytest.importorskip("langchain_core.utils.function_calling", reason="langchain-core is not installed")
    from fsgate import langchain

    (read,) = langchain.tools(gate, ["read"])
    function = core.convert_to_openai_tool(read)["function"]
    assert function["parameters"]["properties"].keys() == gate.tools()[0].input_schema["properties"].keys()


def test_the_lean_set_is_called_in_its_own_words(gate: Gate, tmp_path: Path) -> None:
    edited = gate.lean_answer("edit", {"path": "a", "old": "text", "new": "new"}, "data")
    assert not edited.is_error and json.loads(edited.text)["replacements"] == 1
    assert (tmp_path / "w/a").read_text() == "new"
    for name, arguments, code, words in [
        ("edit", {"path": "a", "old": "e", "new": "x", "al": True}, "invalid_argument", "`al`"),
        ("edit", '{"path": ', "malformed", ""),
        ("replace", {"path": "a"}, "unknown_tool", "there is no tool `replace`"),
        ("delete", {"path": "."}, "is_directory", "set `recursive` to true"),
    ]:
        answer = gate.lean_answer(name, arguments, "data")
        error = json.loads(answer.text)
        text = gate.lean_answer(name, arguments).text
        told(text, code)
        assert words in text
        assert answer.is_error and error["code"] == code, answer
        assert words in error["message"] + error.get("repair", ""), answer


def test_an_answer_for_a_model_is_text(gate: Gate, tmp_path: Path) -> None:
    (tmp_path / "w/d").mkdir()
    (tmp_path / "w/d/b").write_bytes(b"one\r\ntwo")
    etag = gate.call("read", {"path": "d/b"})["etag"]
    for answer, expected in [
        (gate.answer("read", {"path": "d/b"}, "text"), f"[no newline at the end of the file] [CRLF] [etag: {etag}]\none\r\ntwo"),
        (gate.answer("exists", {"path": "/w/d"}, "text"), "true"),
        (gate.answer("glob", {"pattern": "**/b"}, "text"), "[totals: files 1, bytes 8]\nd/b"),
        (gate.lean_answer("read", {"path": "d/b"}), "[no newline at the end of the file] [CRLF]\none\r\ntwo"),
        (gate.lean_answer("write", {"path": "/w/d/c", "content": "x\n"}), "created d/c (2 bytes)"),
        (gate.lean_answer("edit", {"path": "d/none", "old": "x", "new": "y"}), "not_found: d/none: "),
    ]:
        assert answer.text.startswith(expected), answer
        assert answer.is_error == expected.startswith("not_found")
