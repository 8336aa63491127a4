"""What is handed in, and what refuses the start."""

import json
from pathlib import Path

import pytest

from conftest import REPOSITORY, Opener, component
from fsgate import Gate, Grant, Limits, StartError, errors, grants
from fsgate._sandbox import Sandbox

#: Starts with all facts and the answers that the Rust tests have.
STARTS = (REPOSITORY / "tests/starts.jsonl").read_text().splitlines()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with things in it."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_STATE_HOME")
    for name in ("home/project/src", "home/other", "home/.cache", "home/open"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "home/file").write_text("")
    (tmp_path / "home/open").chmod(0o777)
    for target, link in (("../other", "led"), ("../other/..", "by"), ("src", "own")):
        (tmp_path / "home/project" / link).symlink_to(target)
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("dirs", "read_only", "problem"),
    [
        ([], [], "no directory is granted"),
        (["none"], [], "No such file"),
        (["file"], [], "not a directory"),
        ([], ["."], "it is a home directory"),
        ([], [".."], "it is a directory with a home directory in it"),
        ([], ["/"], "all of this machine"),
        # A refusal that no option lifts comes first.
        (["."], [], "fsgate's own directory"),
        (["/"], [], "fsgate's own directory"),
        ([], ["/usr"], "a directory of the system"),
        ([Grant("project", "/w"), Grant("other", "w/")], [], "the name `w/` is granted twice"),
        ([Grant("project", "/.fsgate/x")], [], "fsgate's own"),
        ([Grant("project", "/x/../.fsgate")], [], "fsgate's own"),
        ([Grant("project", "/.Fsgate-settings")], [], "fsgate's own"),
        (["project"], ["project/src"], "granted for writing"),
        (["project"], ["project"], "is granted twice"),
        (["project", Grant("project", "/r", read_only=True)], [], "for reading only and, as .*, for writing"),
        ([".cache"], [], "fsgate's own directory"),
        (["project", "project/led"], [], "by its own path"),
        (["project"], ["project/led"], "by its own path"),
        (["project", "project/by/open"], [], "by its own path"),
        (["project", "project/src/../../other"], [], "by its own path"),
        (["project/own", Grant("project", read_only=True)], [], "by its own path"),
        (["project", Grant("project/led", "/x"), Grant("project/led", "/y")], [], "by its own path"),
        (["project", Grant("project/own", "/own")], [], "by its own path"),
        (["project", "project/led", Grant("other", "/o")], [], "by its own path"),
        # Also where the link leads to what is granted anyway, by the same name.
        ([Grant("project", "/w"), Grant("project/own", "/w/src")], [], "by its own path"),
        (["project", "project/own"], [], "by its own path"),
        (["project/own"], ["project/src/.."], "by its own path"),
        (["project", "project/src"], [], None),
        (["project/led"], [], None),
        (["project", "../home/other"], [], None),
        (["project"], [], None),
        (["project/src"], ["project"], None),
        (["project"], ["other"], None),
        ([], ["other"], None),
        ([Grant("project", "/w/.fsgate")], [], None),
    ],
)
def test_the_start_fails_closed(
    home: Path, monkeypatch: pytest.MonkeyPatch, dirs: list, read_only: list[str], problem: str | None
) -> None:
    monkeypatch.chdir(home)
    if problem is None:
        Gate(dirs, read_only=read_only, component=component()).close()
        assert (home / ".local/state/fsgate/states").exists() == bool(dirs)
    else:
        with pytest.raises(StartError, match=problem):
            Gate(dirs, read_only=read_only, component=component())


def test_a_path_is_no_list_of_directories(tmp_path: Path) -> None:
    for options in ({"dirs": str(tmp_path)}, {"read_only": str(tmp_path)}):
        with pytest.raises(TypeError, match="lists of directories"):
            Gate(**options)


def test_a_wide_grant_is_for_those_who_ask(home: Path) -> None:
    with Gate(read_only=[home], allow_wide_grant=True, component=component()) as gate:
        assert gate.exists("file").exists


@pytest.mark.parametrize(
    ("state", "problem"),
    [("open", "others can write to it"), ("file", "cannot keep state"), ("project/s", "fsgate's own")],
)
def test_state_is_its_owners_alone(home: Path, state: str, problem: str) -> None:
    with pytest.raises(StartError, match=problem):
        Gate([home / "project"], state_dir=home / state)


def test_grants_are_read_only_where_they_say_so(opened: Opener, tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r/a").write_text("x")
    gate = opened(dirs=[Grant(tmp_path / "w", "/w"), Grant(tmp_path / "r", "/r", read_only=True)])
    assert gate.copy("/r/a", "a").destination == "/w/a"
    for call in (lambda: gate.write("/r/a", "y"), lambda: gate.delete("/r/a"), lambda: gate.move("/r/a", "b")):
        with pytest.raises(errors.ReadOnlyError):
            call()
    assert (tmp_path / "r/a").read_text() == "x"


def test_relative_paths_start_at_the_first_grant(opened: Opener, tmp_path: Path) -> None:
    (tmp_path / "w/a").write_text("first")
    (tmp_path / "v").mkdir()
    gate = opened(dirs=[tmp_path / "w", tmp_path / "v"])
    assert gate.read("a").path == str((tmp_path / "w/a").resolve())


def test_state_is_not_led_into_a_grant(home: Path) -> None:
    (home / "led").symlink_to("project/src")
    with pytest.raises(StartError, match="fsgate's own"):
        Gate([home / "project"], state_dir=home / "led/state")


@pytest.mark.parametrize("start", STARTS)
def test_the_component_decides_as_the_program_does(start: str) -> None:
    row = json.loads(start)
    sandbox = Sandbox([], {}, Limits(), component())
    answer = json.loads(sandbox.call("host", "check", json.dumps(row["start"])))
    sandbox.close()
    assert answer == row["answer"]


def test_a_directory_that_changes_during_the_check_is_not_granted(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "link").symlink_to("project")
    told = grants._fact

    def swapping(path: str) -> dict[str, str]:
        fact = told(path)
        if path.endswith("/link"):
            (home / "link").unlink()
            (home / "link").symlink_to("other")
        return fact

    monkeypatch.setattr(grants, "_fact", swapping)
    with pytest.raises(StartError, match="it has changed during the check"):
        Gate([Grant(home / "link", "/w")], component=component())
