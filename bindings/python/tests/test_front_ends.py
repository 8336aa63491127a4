"""The languages of other systems. What they say is tested where they are made; here, that each comes through."""

import inspect
from types import SimpleNamespace

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
    assert _convert.encoded(outcome) == _convert.encoded(_convert.decoded(type(outcome), gate.front_end(name, **needed)))


def test_sham_carries_out_a_block(opened: Opener) -> None:
    gate = opened()
    if "sham" not in gate.front_ends():
        pytest.skip("this component has no front end `sham`")
    block = '#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "/w/a"\ncontent = "new"\n#!END_SHAM_abc\n'
    assert gate.sham(block).output.startswith('{"success":true')
    assert gate.read("a").content == "new"


def test_no_front_end_has_another_name(opened: Opener) -> None:
    gate: Gate = opened()
    with pytest.raises(errors.UnsupportedError, match="no front end `read`"):
        gate.front_end("read", path="a")


def test_functions_of_records_are_called_by_their_names(opened: Opener) -> None:
    gate = opened()
    gate.create("a", "one\ntwo\n")
    # By the way of the front ends, and there is always an operation.
    sandbox = gate._sandbox
    fields = sandbox.arguments("read", "read")
    assert {"path", "skip-lines", "with-etag"} <= set(fields)
    given = dict.fromkeys(fields) | {"path": "a", "skip-lines": 1}
    outcome = _convert.lifted(sandbox.call("read", "read", _convert.lowered(given)).payload)
    assert (outcome["content"], outcome["line_count"], outcome["next_cursor"]) == ("two\n", 2, None)


def test_records_go_in_and_out_by_the_names_of_wit() -> None:
    given = {"as_user": True, "state": None, "items": [{"first_line": 1}], "raw": b"\x00"}
    lowered = _convert.lowered(given)
    expected = SimpleNamespace(
        **{"as-user": True, "state": None, "items": [SimpleNamespace(**{"first-line": 1})], "raw": b"\x00"}
    )
    assert lowered == expected
    assert _convert.lifted(lowered) == given
