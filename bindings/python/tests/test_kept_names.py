"""What is found by its name at the next start keeps it: granted directories in others, and links to what is granted or kept."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import component
from fsgate import FsgateError, Gate, Grant, StartError
from fsgate._places import LINKS, way
from fsgate._protected import told
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
    "w/v1/back": "../..",
    "w/out": "../kept",
    "w/plain/{a}": "../../ref",
    "w/plain/{n}": "../v1/inner",
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
    ("granted", "state", "calls"),
    [
        # A granted directory in another one, and what is around it. What is in it and beside it is not meant.
        (
            "w/v1/inner",
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
        ("w/d[1]/*", None, {"move d[1] y": NESTED, "move plain d[1]/x": DONE, "delete d[1]/*/x.txt": DONE}),
        # By a name that leads through links: they stay as well, and what is behind them is not meant.
        (
            "w/cur/inner",
            None,
            {
                "move v1 v2": AROUND,
                "move cur x": NESTED,
                "delete cur": NESTED,
                "write /w/v1/inner/in.txt": DONE,
                "delete cur/keep.txt": DONE,
            },
        ),
        ("w/self/v1/inner", None, {"delete self": NESTED, "move self x": NESTED, "delete cur": DONE, "move lnk x": DONE}),
        (
            "w/near",
            None,
            {
                "move near x": NESTED,
                "delete near": NESTED,
                "move plain/p.txt near": NESTED,
                "write /w/v1/inner/in.txt": DONE,
                "move free x": DONE,
                "delete near2": DONE,
                "move plain y": DONE,
            },
        ),
        ("w/near2", None, {"delete near2": NESTED, "delete near": NESTED, "delete free": DONE}),
        ("w/plain/{n}", None, {"delete plain/{n}": NESTED, "move plain x": NESTED, "move plain/p.txt x": DONE}),
        # What is kept for the next start.
        (None, "w/out/state", {"move out x": LEADS, "delete out": LEADS, "delete lnk": DONE}),
        (None, "w/cur/back/kept/state", {"delete cur": LEADS, "move v1 v2": LEADS, "delete v1/keep.txt": DONE}),
        (None, "base/fsgate/state", {"delete out": LEADS, "delete lnk": DONE}),
        # Nothing of that kind.
        (None, None, {"move v1 v2": DONE, "delete out": DONE, "delete lnk": DONE}),
        ("ref", "kept/state", {"delete lnk": DONE, "delete out": DONE}),
    ],
)
def test_what_leads_to_it_stays(scene: Path, granted: str | None, state: str | None, calls: dict[str, str]) -> None:
    grants = [Grant(scene / "w", "/w")]
    if granted:
        real = (scene / granted).resolve()
        # What a link leads to has the name there that it has anyway.
        name = "/inside" if real == scene / granted else f"/{real.relative_to(scene)}"
        grants.append(Grant(scene / granted, name))
    led = [scene / path for path in (granted, state) if path]
    before = [path.resolve() for path in led]
    with Gate(grants, state_dir=scene / state if state else None, component=component()) as gate:
        for words, comes in calls.items():
            assert answer(gate, words).startswith(comes), words
    assert [path.resolve() for path in led] == before


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
        ([("w", "/w"), ("w/near2", "/w/v1/inner")], ["/w/v1/inner", "/w/near2", "/w/near"]),
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
    rules = json.loads(told(None, checked(grants, None, allow_wide=False), None) or '[{}, {"rules": []}]')[1]["rules"]
    assert all(rule["effect"] == "keeps_name" for rule in rules)
    return {rule["name"]: rule["paths"] for rule in rules}


@pytest.mark.parametrize(
    ("place", "granted", "name"),
    [("w/\udcff", "w/\udcff", "/inside"), ("w/v1", "w/\udcff/inner", "/w/v1/inner")],
)
def test_a_name_that_no_rule_can_say_refuses_the_start(scene: Path, place: str, granted: str, name: str) -> None:
    odd = scene / "w/\udcff"
    if scene / place == odd:
        odd.mkdir()
    else:
        odd.symlink_to(scene / place)
    with pytest.raises(StartError, match="a link in it that has to stay where it is has a name that is not UTF-8"):
        Gate([Grant(scene / "w", "/w"), Grant(scene / granted, name)], component=component())
    # Nobody has to find it there.
    Gate([Grant(scene / "w", "/w"), Grant(scene / "ref", "/inside")], component=component()).close()


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("w/v1/inner", []),
        ("w/none/such", []),
        ("w/cur", ["w/cur"]),
        ("w/cur/../cur", ["w/cur", "w/v1", "w/cur"]),
        ("w/lnk2/r.txt", ["w/lnk2", "w/lnk", "w"]),
        ("w/cur/back/w/lnk", ["w/cur", "w/v1/back", "w/v1", "w", "w/lnk", "w"]),
        ("w/plain/{a}/../kept", ["w/plain/{a}", "w/plain", "w", "ref"]),
        ("by", ["by", "w/v1/back", "w/v1", "w"]),
        ("absolute/cur", ["absolute", "w/cur"]),
        ("dangling/x", ["dangling"]),
        ("loop", ["loop"] * LINKS),
    ],
)
def test_a_way_goes_through_links_and_back(scene: Path, path: str, found: list[str]) -> None:
    for name, target in {"absolute": scene / "w", "dangling": "none/such", "loop": "loop"}.items():
        (scene / name).symlink_to(target)
    assert way(scene / path) == [scene / name for name in found]
