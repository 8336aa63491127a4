"""What is found by its name at the next start keeps it: granted directories in others, and links to what is granted or kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import component
from fsgate import FsgateError, Gate, Grant, StartError
from fsgate.grants import checked

FILES = [
    "w/v1/inner/in.txt",
    "w/v1/keep.txt",
    "w/d[1]/*/x.txt",
    "w/plain/p.txt",
    "ref/r.txt",
    "kept/k.txt",
    "base/b.txt",
]

#: Links, and what stands in them.
LEADING = {
    "w/lnk": "../ref",
    "w/lnk2": "lnk",
    "w/near": "v1/inner",
    "w/near2": "near",
    "w/free": "../ref",
    "w/cur": "v1",
    "w/self": ".",
    "w/self2": "self",
    "w/v1/back": "../..",
    "w/out": "../kept",
    "w/plain/{a}": "../../ref",
    "w/plain/{n}": "../v1/inner",
    "w/plain/{s}": "..",
    "by": "w/v1/back/ref",
    "base/fsgate": "../w/out",
}


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """Directories in others, and links to and fro."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    for name, target in LEADING.items():
        (tmp_path / name).symlink_to(target)
    return tmp_path


def answer(gate: Gate, words: str) -> str:
    """What comes of a call, which is told as `TOOL PATH [PATH]`."""
    tool, path, *more = words.split()
    calls: dict[str, Callable[..., object]] = {
        "move": lambda: gate.move(path, *more, recursive=True),
        "copy": lambda: gate.copy(path, *more, recursive=True),
        "delete": lambda: gate.delete(path),
        "delete_directory": lambda: gate.delete_directory(path, recursive=True),
        "write": lambda: gate.write(path, "new"),
    }
    try:
        calls[tool]()
    except FsgateError as error:
        return f"{error.code}: {error.message}"
    return DONE


DONE = "done"
NESTED = "denied_by_policy: the policy rule `granted_directory` forbids"
LEADS = "denied_by_policy: the policy rule `own_directory` forbids"
# The component knows by itself what it was handed in.
GRANTED = "invalid_path: this is a granted directory"
AROUND = "invalid_path: there is a granted directory in this one"


@pytest.mark.parametrize(
    ("dirs", "state", "calls"),
    [
        # A granted directory in another one, and what is around it. What is in it and beside it is not meant.
        (
            {"/w": "w", "/inside": "w/v1/inner"},
            None,
            {
                "move v1/inner v1/x": GRANTED,
                "delete_directory v1/inner": GRANTED,
                "move v1 v2": NESTED,
                "delete_directory v1": AROUND,
                "write v1/inner/in.txt": DONE,
                "write /inside/in.txt": DONE,
                "move v1/inner/in.txt v1/in.txt": DONE,
                "move v1/keep.txt v1/inner/keep.txt": DONE,
                "delete /inside/keep.txt": DONE,
                "copy v1 v3": DONE,
                "move v3 v4": DONE,
                "delete cur": DONE,
                "delete_directory plain": DONE,
            },
        ),
        (
            {"/w": "w", "/inside": "w/d[1]/*"},
            None,
            {"move d[1] y": NESTED, "move plain d[1]/x": DONE, "delete d[1]/*/x.txt": DONE},
        ),
        # By a name that leads through links in it: they stay as well, and what is behind them is not meant.
        (
            {"/w": "w/cur/back/w"},
            None,
            {
                "move cur x": NESTED,
                "delete cur": NESTED,
                "move plain/p.txt cur": "is_directory",
                "delete v1/back": NESTED,
                "move v1 v2": NESTED,
                "delete cur/keep.txt": DONE,
                "move free x": DONE,
                "delete near": DONE,
                "move plain y": DONE,
            },
        ),
        ({"/w": "w/self"}, None, {"delete self": NESTED, "move self x": NESTED, "delete cur": DONE, "delete self2": DONE}),
        ({"/w": "w/self2"}, None, {"delete self2": NESTED, "delete self": NESTED, "delete free": DONE}),
        ({"/w": "w/plain/{s}"}, None, {"delete plain/{s}": NESTED, "move plain x": NESTED, "move plain/p.txt x": DONE}),
        # What is kept for the next start.
        ({"/w": "w"}, "w/out/state", {"move out x": LEADS, "delete out": LEADS, "delete lnk": DONE}),
        ({"/w": "w"}, "w/cur/back/kept/state", {"delete cur": LEADS, "move v1 v2": LEADS, "delete v1/keep.txt": DONE}),
        ({"/w": "w"}, "base/fsgate/state", {"delete out": LEADS, "delete lnk": DONE}),
        # Nothing of that kind.
        ({"/w": "w"}, None, {"move v1 v2": DONE, "delete out": DONE, "delete lnk": DONE}),
        ({"/w": "w", "/inside": "ref"}, "kept/state", {"delete lnk": DONE, "delete out": DONE}),
    ],
)
def test_what_leads_to_it_stays(scene: Path, dirs: dict[str, str], state: str | None, calls: dict[str, str]) -> None:
    grants = [Grant(scene / path, name) for name, path in dirs.items()]
    led = [scene / path for path in (*dirs.values(), state) if path]
    before = [path.resolve() for path in led]
    with Gate(grants, state_dir=scene / state if state else None, component=component()) as gate:
        for words, comes in calls.items():
            assert answer(gate, words).startswith(comes), words
    assert [path.resolve() for path in led] == before


@pytest.mark.parametrize(
    "granted", ["w/cur/inner", "w/self/v1/inner", "w/near", "w/near2", "w/plain/{n}", "w/lnk", "w/v1/back/ref", "by", "w/self"]
)
def test_what_another_grant_leads_to_is_not_granted(scene: Path, granted: str) -> None:
    # By the name that it has there anyway, too: what was meant is not what is found.
    real = (scene / granted).resolve()
    for name in {"/inside", f"/{real.relative_to(scene)}"} - {"/w"}:
        with pytest.raises(StartError, match="grant the directory that is meant by its own path"):
            Gate([Grant(scene / "w", "/w"), Grant(scene / granted, name)], component=component())


@pytest.mark.parametrize("variable", ["XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"])
def test_links_to_the_usual_directories_stay(scene: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, str(scene / "base"))
    rules = said([Grant(scene / "w", "/w")])
    assert rules["own_directory"] == ["/w/out"]


@pytest.mark.parametrize(
    ("grants", "kept"),
    [
        # By the names of all that is around it, and of nothing else.
        ([("w", "/w"), ("w/v1", "/v"), ("w/v1/inner", "/i")], ["/w/v1", "/w/v1/inner", "/v/inner"]),
        ([("w", "/w"), ("w", "/again"), ("w/v1", "/v")], ["/w/v1", "/again/v1"]),
        ([("w", "/"), ("w/v1", "/v")], ["/v1"]),
        ([("w", "a/../b//c/"), ("w/v1", "/v")], ["/b/c/v1"]),
        ([("w", "/a[1]"), ("w/d[1]/*", "/v")], ["/a\\[1\\]/d\\[1\\]/\\*"]),
        ([("w/self2", "/w")], ["/w/self2", "/w/self"]),
        # Where nothing can be changed nothing is moved.
        ([("w", "/w", True), ("w/v1", "/v"), ("ref", "/r")], None),
        ([("w", "/w", True), ("w/v1", "/v", True), ("ref", "/r")], None),
        ([("w", "/w")], None),
    ],
)
def test_names_are_those_inside(scene: Path, grants: list[tuple[Any, ...]], kept: list[str] | None) -> None:
    assert said([Grant(scene / path, *more) for path, *more in grants]).get("granted_directory") == kept


def said(grants: list[Grant]) -> dict[str, list[str]]:
    """The paths of each rule about what is protected in any case."""
    rules = checked(grants, None, allow_wide=False, component=component()).rules
    assert all(rule["effect"] == "keeps_name" for rule in rules)
    return {rule["name"]: rule["paths"] for rule in rules}


@pytest.mark.parametrize(
    ("target", "dirs"),
    [(None, {"/w": "w", "/inside": "w/\udcff"}), (".", {"/w": "w/\udcff"})],
)
def test_a_name_that_no_rule_can_say_refuses_the_start(scene: Path, target: str | None, dirs: dict[str, str]) -> None:
    odd = scene / "w/\udcff"
    if target is None:
        odd.mkdir()
    else:
        odd.symlink_to(target)
    with pytest.raises(StartError, match="a link in it that has to stay where it is has a name that is not UTF-8"):
        Gate([Grant(scene / path, name) for name, path in dirs.items()], component=component())
    # Nobody has to find it there.
    Gate([Grant(scene / "w", "/w"), Grant(scene / "ref", "/inside")], component=component()).close()
