"""Rules are about what is there, whatever names it has inside: the component is told where each granted directory lies."""

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import component
from fsgate import Gate, Grant, HistoryLimits, Limits, errors
from fsgate.gate import environment
from fsgate.grants import Verdict, checked

#: A rule about what is called so right below a grant.
SECRET = {"profile": "open", "rules": [{"name": "r", "paths": ["./secret"], "effect": "hidden"}]}


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """Directories with things in them, and links to them from outside."""
    for name in ("me/.aws/credentials", "data/credentials", "w/secret", "w/in/secret", "w/in/deep/secret", "w/in/open"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("secret")
    (tmp_path / "you").mkdir()
    for name, target in {"you/.aws": "../data", "by": "me/.aws", "linked": "w"}.items():
        (tmp_path / name).symlink_to(target)
    return tmp_path


@pytest.mark.parametrize(
    ("granted", "policy", "is_denied"),
    [
        ("me/.aws", None, True),
        ("me/.aws", {"profile": "open"}, False),
        # The path that was asked for counts, and the one that it leads to.
        ("you/.aws", None, True),
        ("by", None, True),
        ("data", None, False),
    ],
)
def test_a_rule_may_begin_above_what_is_granted(scene: Path, granted: str, policy: Any, is_denied: bool) -> None:
    with Gate([Grant(scene / granted, "/n")], policy=policy, component=component()) as gate:
        if is_denied:
            with pytest.raises(errors.DeniedByPolicyError):
                gate.read("/n/credentials")
        else:
            assert gate.read("/n/credentials").content == "secret"


@pytest.mark.parametrize("names", [("/w", "/n"), ("/w", "/a/b"), ("w/", "./n/"), ("/", "/n")])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_grant_in_another_one_is_the_same_by_both_names(scene: Path, names: tuple[str, str], is_first: bool) -> None:
    outer, inner = names
    grants = [Grant(scene / "w", outer), Grant(scene / "w/in", inner)]
    with Gate(grants if is_first else grants[::-1], policy=SECRET, component=component()) as gate:
        for path in (f"{outer}/secret", f"{outer}/in/secret", f"{inner}/secret"):
            with pytest.raises(errors.NotFoundError):
                gate.read(f"/{path}")
            assert not gate.exists(f"/{path}").exists
        for path in (f"{outer}/in/open", f"{inner}/open", f"{outer}/in/deep/secret", f"{inner}/deep/secret"):
            assert gate.read(f"/{path}").content == "secret", path


@pytest.mark.parametrize(
    ("granted", "told"),
    [
        ([], {}),
        ([("w", "/w"), ("w/in", "/n")], {"/w": ["w"], "/n": ["w/in"]}),
        ([("you/.aws", "/n"), ("by", "/b")], {"/n": ["data", "you/.aws"], "/b": ["me/.aws", "by"]}),
        # One directory lies at the paths of all its names.
        ([("data", "/d"), ("you/.aws", "/n")], {"/d": ["data", "you/.aws"], "/n": ["data", "you/.aws"]}),
        ([("in", "/n"), ("w/in", "/m")], {"/n": ["w/in", "linked/in"], "/m": ["w/in", "linked/in"]}),
        # From where the shell says that it is.
        ([("in", "/n"), ("./in/", "/m")], {"/n": ["w/in", "linked/in"], "/m": ["w/in", "linked/in"]}),
        # Nobody knows here what a `..` leaves.
        ([("you/.aws/../data", "/n"), ("../me", "/m")], {"/n": ["data"], "/m": ["me"]}),
        # What is not UTF-8 has no name in a rule.
        ([("\udcff", "/n"), ("odd", "/m"), ("\udcfe", "/l")], {"/n": [], "/m": ["odd"], "/l": ["data"]}),
    ],
)
def test_the_component_is_told_where_each_grant_lies(
    scene: Path, monkeypatch: pytest.MonkeyPatch, granted: list[tuple[str, str]], told: dict[str, list[str]]
) -> None:
    (scene / "\udcff").mkdir()
    for name, target in {"odd": "\udcff", "\udcfe": "data"}.items():
        (scene / name).symlink_to(target)
    monkeypatch.chdir(scene / "linked")
    monkeypatch.setenv("PWD", str(scene / "linked"))
    inside = {"in", "./in/", "../me"}
    grants = [Grant(path if path in inside else scene / path, name) for path, name in granted]
    verdict = checked(grants, None, False, component=component())
    variables = environment("process", HistoryLimits(), Limits(), None, verdict)
    expected = {name: [str(scene / path) for path in paths] for name, paths in told.items()}
    assert json.loads(variables["FSGATE_POLICY_PATHS"]) == expected


def test_a_variable_of_this_process_makes_no_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FSGATE_OPERATOR", "true")
    assert "FSGATE_OPERATOR" not in environment("process", HistoryLimits(), Limits(), None, Verdict([], {}, []))


@pytest.mark.parametrize("pwd", ["elsewhere", "linked", "/", "/none", "{scene}/you", "{scene}/you/..", None])
@pytest.mark.parametrize(("path", "real"), [("w/in", "w/in"), ("linked/in", "w/in"), ("by", "me/.aws")])
def test_a_shell_that_is_elsewhere_says_nothing(
    scene: Path, monkeypatch: pytest.MonkeyPatch, pwd: str | None, path: str, real: str
) -> None:
    monkeypatch.chdir(scene)
    monkeypatch.delenv("PWD", raising=False)
    if pwd:
        # What a `..` leaves may be what a link leads to: it says nothing either.
        monkeypatch.setenv("PWD", pwd.format(scene=scene))
    # Nor does this process itself, of a link on its way.
    assert checked([Grant(path, "/n")], None, False, component=component()).paths["/n"] == [str(scene / real)]


@pytest.fixture
def ways(scene: Path) -> Path:
    """Links that lead to a directory, from what may be granted beside it and from elsewhere."""
    links = {"w/pub": "../data", "w/in/pub": "../../data", "far": "w/pub", "back": "w/in/../../data", "around": "data"}
    for name, target in {**links, "data/self": "."}.items():
        (scene / name).symlink_to(target)
    return scene


@pytest.mark.parametrize(
    ("came_by", "beside", "is_name"),
    [
        ("w/pub", "w", False),
        ("w/in/pub", "w/in", False),
        # On a way from elsewhere as well, and where a directory is left by `..`.
        ("far", "w", False),
        ("back", "w", False),
        ("around", "w", True),
        # A link in what is not granted, or in what is granted itself, is in no other grant.
        ("w/pub", "w/in", True),
        ("w/pub", "me", True),
        ("data/self", "w", True),
        ("data/self", "data", True),
    ],
)
@pytest.mark.parametrize("path", [".", "sub"])
@pytest.mark.parametrize("read_only", [False, True])
def test_where_a_shell_has_come_from_is_no_name_if_a_link_in_another_grant_leads_there(
    ways: Path, monkeypatch: pytest.MonkeyPatch, came_by: str, beside: str, is_name: bool, path: str, read_only: bool
) -> None:
    (ways / "data/sub").mkdir()
    monkeypatch.chdir(ways / "data")
    monkeypatch.setenv("PWD", str(ways / came_by))
    # The directory itself, by another name, is no other one.
    other = path if beside == "data" else ways / beside
    grants = [Grant(path, "/n", read_only), Grant(other, "/b", read_only)]
    verdict = checked(grants, None, False, component=component())
    names = ["data", came_by] if is_name else ["data"]
    assert verdict.paths["/n"] == [str(ways / name / path) for name in names]


@pytest.mark.parametrize(("came_by", "is_open"), [("w/pub", False), ("around", True), ("data", False)])
def test_an_exception_is_about_no_such_name(ways: Path, monkeypatch: pytest.MonkeyPatch, came_by: str, is_open: bool) -> None:
    monkeypatch.chdir(ways / "data")
    monkeypatch.setenv("PWD", str(ways / came_by))
    unless = ["**/pub/credentials", "**/around/credentials"]
    policy = {"profile": "open", "rules": [{"name": "r", "paths": ["credentials"], "effect": "denied", "unless": unless}]}
    with Gate([Grant(".", "/n"), Grant(ways / "w", "/w")], policy=policy, component=component()) as gate:
        if is_open:
            assert gate.read("credentials").content == "secret"
        else:
            with pytest.raises(errors.DeniedByPolicyError):
                gate.read("credentials")
