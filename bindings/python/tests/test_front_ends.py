"""The languages of other systems. What they say is tested where they are made; here, that each comes through."""

import inspect
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import pytest

from conftest import REPOSITORY, Opener
from fsgate import Gate, _convert, errors, types
from generator import wit

FRONT_ENDS = sorted(wit.read(REPOSITORY / "wit").functions["front-ends"])


@pytest.mark.parametrize("name", [name.replace("-", "_") for name in FRONT_ENDS])
def test_every_front_end_answers(opened: Opener, name: str) -> None:
    gate = opened()
    method = getattr(gate, name)
    # Each of them takes a text, under whatever name, and says what is wrong with it in its answer.
    parameters = inspect.signature(method).parameters.values()
    needed = {parameter.name: "" for parameter in parameters if parameter.default is parameter.empty}
    if name not in gate.front_ends():
        with pytest.raises(errors.UnsupportedError):
            method(**needed)
        pytest.skip(f"this component has no front end `{name}`")
    outcome = method(**needed)
    assert type(outcome).__module__ == types.__name__
    assert outcome == _convert.decoded(type(outcome), gate.front_end(name, **needed))


def test_sham_carries_out_a_block(opened: Opener) -> None:
    gate = opened()
    if "sham" not in gate.front_ends():
        pytest.skip("this component has no front end `sham`")
    block = '#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "/w/a"\ncontent = "new"\n#!END_SHAM_abc\n'
    assert gate.sham(block).output.startswith('{"success":true')
    assert gate.read("a").content == "new"


@pytest.mark.parametrize("name", [name.replace("-", "_") for name in FRONT_ENDS])
def test_half_a_character_is_refused_and_the_gate_goes_on(opened: Opener, name: str) -> None:
    gate = opened()
    if name not in gate.front_ends():
        pytest.skip(f"this component has no front end `{name}`")
    with pytest.raises(errors.MalformedError) as refused:
        gate.front_end(name, text="\ud800")
    assert (refused.value.operation, refused.value.applied) == (name, False)
    assert gate.front_end(name, text="") is not None


def test_no_front_end_has_another_name(opened: Opener) -> None:
    gate: Gate = opened()
    with pytest.raises(errors.UnsupportedError, match="no front end `read`"):
        gate.front_end("read", path="a")


def test_functions_are_called_by_their_types(opened: Opener) -> None:
    gate = opened()
    gate.create("a", "one\ntwo one\n")

    # By the way of the front ends: operations are always there, and have types of all kinds.
    def call(interface: str, function: str, **arguments: object) -> Any:
        return gate._sandbox.call(interface, function, arguments)

    read = call("read", "read", path="a", skip_lines=1)
    assert (read["case"], read["payload"]["content"], read["payload"]["next_cursor"]) == ("ok", "two one\n", None)
    assert read["payload"]["line_end"] == "lf"
    refused = call("edit", "replace", path="a", old="one", new="1")
    assert (refused["case"], refused["payload"]["code"]) == ("err", {"case": "ambiguous", "payload": [1, 2]})
    assert call("read", "read", path="../a")["payload"]["code"] == {"case": "not_granted", "payload": None}
    edits = [types.Edit(path="a", old="two", new="2"), types.Edit(path="b", content="new")]
    assert [file["path"] for file in call("edit", "apply", edits=edits)["payload"]["files"]] == ["/w/a", "/w/b"]
    assert call("edit", "write-bytes", path="raw", bytes=b"\x00\xff")["case"] == "ok"
    assert call("read", "read-bytes", path="raw")["payload"]["bytes"] == b"\x00\xff"
    assert [entry["name"] for entry in call("search", "glob", pattern="r*", kind="file")["payload"]["entries"]] == ["raw"]
    with pytest.raises(TypeError, match="no argument pth"):
        call("read", "read", path="a", pth="a")


@dataclass(frozen=True, kw_only=True)
class Answered:
    """A variant as the generator writes it."""

    CASES: ClassVar[dict[str, str | None]] = {"done": "text", "asked": "question", "gone": None}

    answered: Literal["done", "asked", "gone"]
    text: str | None = None
    question: types.Left | None = None


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"case": "done", "payload": "x"}, Answered(answered="done", text="x")),
        (
            {"case": "asked", "payload": {"count": 1, "exact": True}},
            Answered(answered="asked", question=types.Left(count=1, exact=True)),
        ),
        ({"case": "gone", "payload": None}, Answered(answered="gone")),
    ],
)
def test_variants_have_a_field_for_each_payload(found: dict[str, Any], expected: Answered) -> None:
    assert _convert.decoded(Answered, found) == expected
