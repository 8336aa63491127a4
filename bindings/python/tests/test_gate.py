"""Calls, their answers, and what bounds them."""

import pickle
import threading
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import pytest

from conftest import Opener
from fsgate import FsgateError, Gate, HistoryLimits, Limits, StartError, _engine, errors, types
from fsgate import gate as gate_module
from fsgate._convert import encoded


def test_methods_return_dataclasses(opened: Opener, tmp_path: Path) -> None:
    gate = opened()
    made = gate.create("notes.md", "# Notes\ndraft\n")
    assert (made.path, made.created, made.notes) == ("/w/notes.md", True, [])
    assert gate.read_numbered("notes.md").content == "1: # Notes\n2: draft"
    assert gate.replace("notes.md", "draft", "final", diff=True).lines == [2]
    assert (tmp_path / "w/notes.md").read_bytes() == b"# Notes\nfinal\n"
    gate.write_bytes("raw", b"\x00\xff")
    assert gate.read_bytes("raw").bytes == b"\x00\xff"
    edits = [types.Edit(path="notes.md", old="final", new="done"), types.Edit(path="raw", delete=True)]
    assert [file.path for file in gate.apply(edits=edits).files] == ["/w/notes.md", "/w/raw"]
    many = gate.read_many(["notes.md", "none"]).files
    assert (many[0].content, many[1].error and many[1].error.code) == ("# Notes\ndone\n", "not_found")
    assert [entry.tool for entry in gate.log().entries][:2] == ["apply", "write_bytes"]
    assert gate.undo().paths == ["/w/notes.md", "/w/raw"]


@pytest.mark.parametrize(
    ("tool", "arguments", "error", "payload"),
    [
        ("read", {"path": "none"}, errors.NotFoundError, {}),
        ("read", {"path": "../x"}, errors.NotGrantedError, {}),
        ("read", {"path": "a", "max_bytes": 0}, errors.InvalidArgumentError, {"field": "max_bytes"}),
        ("create", {"path": "a", "content": ""}, errors.ExistsError, {}),
        ("replace", {"path": "a", "old": "x", "new": "y"}, errors.AmbiguousError, {"lines": [1, 2]}),
        ("replace", {"path": "a", "old": "z", "new": "y"}, errors.NoMatchError, {"nearest": None}),
        ("replace", {"path": "a", "old": "one x twq", "new": "y"}, errors.NoMatchError, {"nearest.first_line": 1}),
        ("write", {"path": "a", "content": "", "if_match": "0" * 32}, errors.StaleError, {}),
        ("grep", {"pattern": "(", "regex": True}, errors.InvalidPatternError, {"position": 0}),
        ("write", {"path": ".git/hooks/x", "content": ""}, errors.DeniedByPolicyError, {}),
        ("undo", {"id": "0" * 32}, errors.UnknownIdError, {}),
        ("no_such_tool", {}, errors.UnknownToolError, {}),
        ("read", "[", errors.MalformedError, {}),
    ],
)
def test_every_refusal_has_its_exception(
    opened: Opener, tmp_path: Path, tool: str, arguments: Any, error: type[FsgateError], payload: dict[str, object]
) -> None:
    (tmp_path / "w/a").write_text("one x two\nx\n")
    with pytest.raises(error) as refused:
        opened().call(tool, arguments)
    raised = refused.value
    assert type(raised) is error
    assert (raised.operation, raised.applied) == (tool, False)
    assert raised.message in str(raised)
    for name, expected in payload.items():
        found: Any = raised
        for part in name.split("."):
            found = getattr(found, part)
        assert found == expected, name
    assert pickle.loads(pickle.dumps(raised)).data == raised.data


def test_an_unknown_code_is_an_error_all_the_same() -> None:
    from fsgate.gate import raised

    error = raised({"code": "not_yet_known", "message": "it is new", "details": '{"a": 1}'})
    assert (type(error), error.code, error.details, error.applied) == (FsgateError, "not_yet_known", {"a": 1}, True)


LARGE = "x" * (8 << 20)


@pytest.mark.parametrize(
    ("limits", "tool", "arguments", "error", "applied"),
    [
        (Limits(memory=6 << 20), "create", {"path": "b", "content": LARGE}, {"code": "limit", "which": "memory"}, True),
        (Limits(memory=6 << 20), "stat", {"path": LARGE}, {"code": "limit", "which": "memory"}, False),
        (
            Limits(memory=6 << 20),
            "create",
            {"path": "b", "content": LARGE, "dry_run": True},
            {"code": "limit", "which": "memory"},
            False,
        ),
        (Limits(result=100), "read", {"path": "a"}, {"code": "limit", "which": "result"}, False),
        (Limits(result=60), "create", {"path": "b", "content": ""}, {"code": "limit", "which": "result"}, True),
    ],
)
def test_limits_end_one_call_and_not_the_gate(
    opened: Opener, tmp_path: Path, limits: Limits, tool: str, arguments: Any, error: dict[str, str], applied: bool
) -> None:
    (tmp_path / "w/a").write_text("x" * 200_000)
    gate = opened(limits=limits)
    with pytest.raises(FsgateError) as refused:
        gate.call(tool, arguments)
    assert refused.value.data.items() >= error.items()
    assert (refused.value.applied, refused.value.operation) == (applied, tool)
    assert gate.exists("a").exists


@pytest.mark.parametrize(("tool", "applied"), [("read", False), ("write", True)])
def test_a_call_that_does_not_end_is_ended(opened: Opener, monkeypatch: pytest.MonkeyPatch, tool: str, applied: bool) -> None:
    gate = opened()
    gate.tools()
    with monkeypatch.context() as patched:
        patched.setattr(_engine.Clock, "ticks", lambda *_: 0)
        with pytest.raises(errors.DeadlineError) as refused:
            gate.call(tool, {"path": "a", "content": "b"})
    assert refused.value.applied == applied
    assert not gate.exists("a").exists


def test_a_call_that_takes_too_long_ends(opened: Opener, tmp_path: Path) -> None:
    gate = opened(limits=Limits(deadline=0.001), durability="none")
    with pytest.raises(errors.DeadlineError) as refused:
        gate.create("large", "x" * (32 << 20))
    # By itself where nothing is half done, or by force.
    assert refused.value.applied or not (tmp_path / "w/large").exists()


def test_the_clock_sleeps_while_nothing_runs() -> None:
    clock = _engine.Clock()
    assert clock.ticks(1.0) == 101
    with clock.running(), clock.running():
        assert clock._thread is not None and clock._thread.is_alive()
    assert clock._running == 0


def test_calls_come_from_any_thread(opened: Opener) -> None:
    gate = opened()
    gate.create("count", "0")
    created = []

    def work(number: int) -> None:
        created.append(gate.create(f"{number}.txt", "x").path)
        for _ in range(5):
            gate.append("count", "+1")

    threads = [threading.Thread(target=work, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(created) == 8
    assert gate.read("count").content == "0" + "+1" * 40


def test_a_session_undoes_its_own_changes_only(opened: Opener) -> None:
    one, other = opened(), opened()
    one.create("a", "x")
    with pytest.raises(errors.NothingToUndoError):
        other.undo()
    assert other.undo(any_session=True).paths == ["/w/a"]


@pytest.mark.parametrize(
    ("options", "keeps"),
    [({}, True), ({"durability": "power"}, True), ({"history": HistoryLimits(days=1)}, True), ({"durability": "none"}, False)],
)
def test_a_history_is_kept_unless_nobody_wants_one(opened: Opener, options: dict[str, Any], keeps: bool) -> None:
    made = opened(**options).create("a", "x")
    assert (made.undo_id is not None) == keeps
    assert [note.kind for note in made.notes] == ([] if keeps else ["no_undo"])


@pytest.mark.parametrize(
    "policy",
    [
        {"rules": [{"name": "drafts", "paths": ["published/"], "effect": "read_only"}]},
        [{"profile": "open"}, {"rules": [{"name": "drafts", "paths": ["published/"], "effect": "read_only"}]}],
        '{"rules": [{"name": "drafts", "paths": ["published/"], "effect": "read_only"}]}',
    ],
)
def test_a_policy_takes_away(opened: Opener, policy: Any) -> None:
    gate = opened(policy=policy)
    gate.create("draft", "x")
    with pytest.raises(errors.DeniedByPolicyError) as refused:
        gate.create("published/x", "x")
    assert refused.value.rule == "drafts"


@pytest.mark.parametrize(
    ("options", "option", "problem"),
    [
        ({"policy": '{"profil": "open"}'}, "policy", "FSGATE_POLICY.*`profil`"),
        ({"policy": "{"}, "policy", "FSGATE_POLICY"),
        ({"policy": {"profile": "shut"}}, "policy", "FSGATE_POLICY"),
        ({"durability": "forever"}, "durability", "FSGATE_DURABILITY.*`process`, `power` or `none`"),
    ],
)
def test_what_has_no_meaning_refuses_the_start(opened: Opener, options: dict[str, Any], option: str, problem: str) -> None:
    with pytest.raises(StartError, match=f"^the option `{option}` cannot be used: .*{problem}"):
        opened(**options)


@pytest.mark.parametrize("variable", gate_module.SAID)
def test_every_variable_is_told_by_its_option(variable: str) -> None:
    error = gate_module.not_taken(FsgateError({"message": f"the setting `{variable}` has no meaning here"}))
    assert str(error).startswith(f"the option `{gate_module.SAID[variable]}` cannot be used: ")


@pytest.mark.parametrize(
    ("given", "arrives"),
    [
        (PurePosixPath("d/a"), "d/a"),
        (PureWindowsPath("d\\a"), "d/a"),
        (Path("d", "a"), "d/a"),
        (memoryview(b"\x00\xff"), "AP8="),
        (memoryview(b"\x00-\xff-")[::2], "AP8="),
        (bytearray(b"\x00\xff"), "AP8="),
        ((1, 2.5, True, None), [1, 2.5, True, None]),
        ({"a": PurePosixPath("b"), "c": None}, {"a": "b"}),
    ],
)
def test_values_are_told_as_json_has_them(given: object, arrives: object) -> None:
    assert encoded(given) == arrives


@pytest.mark.parametrize("given", [{"a"}, object(), 1j, range(2), iter(()), {1: "a"}, [[object()]]])
def test_what_json_cannot_say_is_refused(opened: Opener, given: Any) -> None:
    with pytest.raises(TypeError, match=r"^no JSON says a `\w+`: give a text, a number, .* or a mapping"):
        opened().read(given)


def test_paths_and_views_are_arguments(opened: Opener, tmp_path: Path) -> None:
    gate = opened()
    path: Any = Path("a.bin")
    data: Any = memoryview(b"\x00\xff")
    gate.write_bytes(path, data)
    assert gate.read_bytes(path).bytes == b"\x00\xff"
    assert gate.call("exists", {"path": path})["exists"]


def test_a_gate_that_is_closed_makes_no_calls(opened: Opener) -> None:
    with opened() as gate:
        gate.tree(".")
    gate.close()
    with pytest.raises(ValueError, match="the gate is closed"):
        gate.tree(".")


def _nested(depth: int) -> Any:
    value: Any = "a"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("read", '{"path": "\ud800"}'), ("\ud800", "{}"), ("read", {"path": _nested(100_000)})],
)
def test_what_no_json_can_say_is_answered(opened: Opener, tool: str, arguments: Any) -> None:
    answer = opened().answer(tool, arguments)
    assert answer.is_error
    assert '"code": "malformed"' in answer.text or '"code":"malformed"' in answer.text


def test_a_gate_without_a_directory_describes_its_tools(opened: Opener) -> None:
    gate = opened(dirs=[], nothing=True)
    read = next(tool for tool in gate.tools() if tool.name == "read")
    assert read.annotations == {"read_only": True, "destructive": False, "idempotent": True}
    assert read.input_schema["required"] == ["path"]
    with pytest.raises(errors.NotGrantedError):
        gate.read("/etc/passwd")


def test_directories_are_opened_once(opened: Opener, tmp_path: Path) -> None:
    (tmp_path / "w/a").write_text("granted")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/a").write_text("another")
    gate = opened(limits=Limits(memory=6 << 20))
    (tmp_path / "w").rename(tmp_path / "moved")
    (tmp_path / "w").symlink_to("other")
    with pytest.raises(errors.LimitError):
        # The next call gets a fresh instance.
        gate.call("stat", {"path": LARGE})
    assert gate.read("a").content == "granted"


def test_another_component_that_is_none_refuses_the_start(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "none.wasm").write_text("(component)")
    (tmp_path / "broken.wasm").write_text("what is this")
    for name, problem in [("absent.wasm", "cannot read"), ("none.wasm", "cannot start"), ("broken.wasm", "cannot load")]:
        with pytest.raises(StartError, match=problem):
            Gate([tmp_path / "w"], component=tmp_path / name)
