"""A history is no part of what tools see: what is in one is not granted, and what lies around one hides it."""

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import component
from fsgate import Gate, Grant, StartError, errors
from fsgate._policy import told
from fsgate.grants import checked

#: Directories of histories in that of a test: this package's and the program's in the usual state
#: root, and one in a named state root.
USUAL, PROGRAM, NAMED, ROOT = "base/fsgate/python", "base/fsgate/states", "mine/kept/states", "mine/kept"


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with histories in it, and secrets in these."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "base"))
    for name in (USUAL, PROGRAM, NAMED, "base/fsgate/roots", "w"):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep/old").write_text("secret" if "w" not in name else "open")
    (tmp_path / "link").symlink_to("mine")
    (tmp_path / "short").symlink_to("mine/kept")
    return tmp_path


@pytest.mark.parametrize(
    ("granted", "state", "is_refused"),
    [
        (USUAL, None, True),
        (f"{USUAL}/deep", None, True),
        (PROGRAM, None, True),
        (f"{PROGRAM}/deep", None, True),
        (NAMED, ROOT, True),
        (f"{NAMED}/deep", ROOT, True),
        ("link/kept/states/deep", ROOT, True),
        (f"{NAMED}/deep", "link/kept", True),
        (ROOT, ROOT, False),
        # Also where this gate keeps its own elsewhere.
        (USUAL, ROOT, True),
        (NAMED, None, False),
        ("base/fsgate/roots", None, True),
        ("base/fsgate", None, False),
        ("base", None, False),
        ("mine", ROOT, False),
    ],
)
def test_none_is_granted_for_reading(scene: Path, granted: str, state: str | None, is_refused: bool) -> None:
    def start() -> Gate:
        named = scene / state if state else None
        return Gate([Grant(scene / granted, "/r", read_only=True)], state_dir=named, component=component())

    if is_refused:
        with pytest.raises(StartError, match="no tool sees a history"):
            start()
    else:
        start().close()


@pytest.mark.parametrize(
    ("granted", "name", "state", "hidden", "seen"),
    [
        ("base", "/r", None, ["fsgate/python", "fsgate/states", "fsgate/roots"], None),
        ("base/fsgate", "/r", None, ["python", "states", "roots"], None),
        ("base/fsgate", "/", None, ["python", "states", "roots"], None),
        ("base/fsgate", "/a[1]/{b}*", None, ["python", "states", "roots"], None),
        (".", "/x/../r", ROOT, [USUAL, PROGRAM, NAMED], "w/deep/old"),
        # By the link that leads to it as well.
        (".", "/r", "link/kept", [USUAL, PROGRAM, NAMED, "link/kept/states"], "w/deep/old"),
        (".", "/r", "short", [USUAL, PROGRAM, NAMED, "short/states"], "w/deep/old"),
        ("mine", "/r", ROOT, ["kept/states"], None),
        # Not a state root of this gate.
        ("mine", "/r", None, [], "kept/states/deep/old"),
        ("w", "/r", ROOT, [], "deep/old"),
    ],
)
def test_what_lies_around_one_hides_it(
    scene: Path, granted: str, name: str, state: str | None, hidden: list[str], seen: str | None
) -> None:
    named = scene / state if state else None
    with Gate([Grant(scene / granted, name, read_only=True)], state_dir=named, component=component()) as gate:
        for path in hidden:
            for inside in (path, f"{path}/deep", f"{path}/deep/old"):
                assert not gate.exists(inside).exists, inside
                with pytest.raises(errors.NotFoundError):
                    gate.stat(inside)
            above, _, last = path.rpartition("/")
            assert last not in [entry.name for entry in gate.list_directory(above or ".").entries]
        found = gate.grep("secret", include_hidden=True, respect_ignore=False).matches
        shown = [match.path for match in found]
        assert [path for path in shown if any(f"/{end}/" in path for end in hidden)] == []
        if seen is not None:
            assert gate.read(seen).content in ("secret", "open")


@pytest.mark.parametrize(
    ("policy", "denied"),
    [
        (None, ["id_rsa"]),
        ({}, ["id_rsa"]),
        ({"profile": "open"}, []),
        ({"rules": [{"name": "n", "paths": ["/r/w"], "effect": "denied"}]}, ["id_rsa", "w/deep/old"]),
        ([{"profile": "open"}, {"rules": [{"name": "n", "paths": ["w"], "effect": "denied"}]}], ["w/deep/old"]),
        ('{"profile": "open"}', []),
        ('[{"profile": "open"}]', []),
    ],
)
def test_what_a_policy_says_holds_beside_it(scene: Path, policy: Any, denied: list[str]) -> None:
    (scene / "id_rsa").write_text("no key")
    with Gate([Grant(scene, "/r", read_only=True)], policy=policy, component=component()) as gate:
        assert not gate.exists(USUAL).exists
        for path in ("id_rsa", "w/deep/old"):
            if path in denied:
                with pytest.raises(errors.DeniedByPolicyError):
                    gate.read(path)
            else:
                assert gate.read(path).content


@pytest.mark.parametrize(
    "policy",
    ["{", "{}, {}", "[{}], [{}]", "7", '"a"', '{"profile": "open", "profile": "strict"}', '{"max_files": NaN}', "[" * 100_000],
)
def test_a_policy_that_makes_no_sense_is_not_mended(scene: Path, policy: str) -> None:
    with pytest.raises(StartError, match="FSGATE_POLICY"):
        Gate([Grant(scene, "/r", read_only=True)], policy=policy, component=component())


def test_without_a_history_in_it_a_policy_is_told_as_it_is(scene: Path) -> None:
    beside = checked([Grant(scene / "w", "/w")], None, False, component=component())
    for policy, said in [(None, None), ('{ "profile":"open"}', '{ "profile":"open"}'), ([{}], "[{}]")]:
        assert told(policy, beside.rules) == said
    around = checked([Grant(scene, "/r", read_only=True)], None, False, component=component())
    assert [rule["name"] for rule in json.loads(told(None, around.rules) or "")[1]["rules"]] == ["own_state"]


def test_a_history_that_no_rule_can_name_refuses_the_start(scene: Path) -> None:
    odd = scene / "w/\udcff"
    odd.mkdir()
    with pytest.raises(StartError, match="not UTF-8"):
        Gate([Grant(scene / "w", "/r", read_only=True)], state_dir=odd, component=component())
