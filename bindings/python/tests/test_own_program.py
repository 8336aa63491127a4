"""What runs is not written to by whoever it lets in: this package, its engine, and what would be imported in their place."""

import json
import os
import shutil
import subprocess
import sys
from importlib.machinery import all_suffixes
from pathlib import Path

import pytest
import wasmtime

import fsgate
from conftest import component
from fsgate import Gate, Grant, _program, errors
from fsgate.grants import checked

SITE = ".venv/lib/site"
REFUSED = ("denied_by_policy", "own_program")
DONE = (None, None)


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """A project with an environment in it, by a link as well, and with a directory that is looked into before that."""
    for name in (f"{SITE}/fsgate/gate.py", f"{SITE}/wasmtime/lib.so", f"{SITE}/other/x.py", "src/a.py", "near/b.py", "far/c.py"):
        (tmp_path / "w" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "w" / name).write_text("text")
    (tmp_path / "w/lib").symlink_to(".venv/lib")
    (tmp_path / "w/c.wasm").write_bytes(Path(component() or Path(fsgate.__file__).with_name("fsgate.wasm")).read_bytes())
    return tmp_path


@pytest.fixture
def runs(scene: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What runs lies there."""
    site = scene / "w/lib/site"
    monkeypatch.setattr(_program, "__file__", str(site / "fsgate/_program.py"))
    monkeypatch.setattr(wasmtime, "__file__", str(site / "wasmtime/__init__.py"))
    monkeypatch.setattr(sys, "path", [str(scene / "w/near"), str(scene / "w/lib/site"), str(scene / "w/far"), *sys.path])
    return scene


#: What is called, with the paths that it is about, and what comes of it.
CALLS: list[tuple[str, dict[str, object], tuple[str | None, str | None]]] = [
    ("write", {"path": f"{SITE}/fsgate/gate.py", "content": "x"}, REFUSED),
    ("write", {"path": "lib/site/fsgate/gate.py", "content": "x"}, REFUSED),
    ("append", {"path": f"{SITE}/wasmtime/lib.so", "content": "x"}, REFUSED),
    ("create", {"path": f"{SITE}/fsgate/json.py", "content": "x"}, REFUSED),
    ("create_directory", {"path": f"{SITE}/fsgate/new"}, REFUSED),
    ("delete", {"path": f"{SITE}/fsgate/gate.py"}, REFUSED),
    ("delete_directory", {"path": f"{SITE}/fsgate", "recursive": True}, REFUSED),
    ("delete_directory", {"path": ".venv", "recursive": True}, REFUSED),
    ("move", {"source": f"{SITE}/fsgate", "destination": "f", "recursive": True}, REFUSED),
    ("move", {"source": ".venv", "destination": "v", "recursive": True}, REFUSED),
    ("move", {"source": "lib", "destination": "v"}, REFUSED),
    ("delete", {"path": "lib"}, REFUSED),
    ("copy", {"source": "src/a.py", "destination": f"{SITE}/fsgate/a.py"}, REFUSED),
    # What would be imported in its place.
    ("create", {"path": "near/fsgate.py", "content": "x"}, REFUSED),
    ("create", {"path": "near/fsgate/__init__.py", "content": "x"}, REFUSED),
    ("write_bytes", {"path": "near/wasmtime.so", "bytes": ""}, REFUSED),
    ("move", {"source": "src", "destination": "near/wasmtime", "recursive": True}, REFUSED),
    # The component that was named.
    ("append", {"path": "c.wasm", "content": "x"}, REFUSED),
    # It may be read, and what is beside it may be changed.
    ("read", {"path": f"{SITE}/fsgate/gate.py"}, DONE),
    ("copy", {"source": f"{SITE}/fsgate", "destination": "f", "recursive": True}, DONE),
    ("write", {"path": f"{SITE}/other/x.py", "content": "x"}, DONE),
    ("create", {"path": "near/gate.py", "content": "x"}, DONE),
    ("create", {"path": "far/fsgate.py", "content": "x"}, DONE),
    ("move", {"source": "near", "destination": "n", "recursive": True}, DONE),
]


def came(gate: Gate, tool: str, arguments: dict[str, object]) -> tuple[str | None, str | None]:
    """The code and the rule of a refusal."""
    answer = json.loads(gate.answer(tool, arguments).text)
    return answer.get("code"), answer.get("rule")


def test_what_runs_is_only_read(runs: Path) -> None:
    with Gate([Grant(runs / "w", "/w")], policy={"profile": "open"}, component=runs / "w/c.wasm") as gate:
        for tool, arguments, expected in CALLS:
            assert came(gate, tool, arguments) == expected, (tool, arguments)
    assert (runs / "w" / SITE / "fsgate/gate.py").read_text() == "text"


@pytest.mark.parametrize("granted", [f"w/{SITE}/fsgate", f"w/{SITE}"])
def test_a_grant_in_it_or_right_around_it_is_protected_as_well(runs: Path, granted: str) -> None:
    for name in ("/w", "/"):
        with Gate([Grant(runs / granted, name)], component=component()) as gate:
            path = f"{name}/gate.py" if granted.endswith("fsgate") else f"{name}/fsgate/gate.py"
            assert came(gate, "write", {"path": path, "content": "x"}) == REFUSED
            assert came(gate, "read", {"path": path}) == DONE


NAMES = ["fsgate", "wasmtime"]
SHADOWS = [f"/w/near/{name}{suffix}" for name in NAMES for suffix in ("", *all_suffixes())]


@pytest.mark.parametrize(
    ("path", "read_only", "named"),
    [
        ("w", False, {*(f"/w/{site}/{name}" for site in (SITE, "lib/site") for name in NAMES), "/w/c.wasm", *SHADOWS}),
        (f"w/{SITE}", False, {"/w/fsgate", "/w/wasmtime"}),
        (f"w/{SITE}/fsgate", False, {"/w"}),
        # Nothing of it is there, or nothing can be changed.
        ("w/src", False, set()),
        ("w", True, set()),
    ],
)
def test_it_is_named_where_it_lies(runs: Path, path: str, read_only: bool, named: set[str]) -> None:
    rules = checked([Grant(runs / path, "/w", read_only)], None, allow_wide=False, component=runs / "w/c.wasm").rules
    found = {path for rule in rules if rule["name"] == "own_program" and rule["effect"] == "read_only" for path in rule["paths"]}
    assert found == named


def test_nothing_changes_where_it_lies_elsewhere(scene: Path) -> None:
    assert checked([Grant(scene / "w", "/w")], None, allow_wide=False, component=component()).rules == []
    with Gate([Grant(scene / "w", "/w")], component=component()) as gate:
        gate.write(f"{SITE}/fsgate/gate.py", "new")


LOOP = """
import sys
from fsgate import Gate, Grant, errors
with Gate([Grant(sys.argv[1], "/w")]) as gate:
    for path in ("site/fsgate/gate.py", "first/fsgate.py"):
        try:
            gate.write(path, "raise SystemExit")
        except errors.DeniedByPolicyError as refused:
            print(refused.rule)
"""


def test_a_package_in_a_project_cannot_be_rewritten(tmp_path: Path) -> None:
    site = tmp_path / "w/site"
    shutil.copytree(Path(fsgate.__file__).parent, site / "fsgate", ignore=shutil.ignore_patterns("__pycache__"))
    if named := component():
        shutil.copy(named, site / "fsgate/fsgate.wasm")
    (tmp_path / "w/first").mkdir()
    variables = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path / "w/first"), str(site)]), "PYTHONSAFEPATH": "1"}
    words = [sys.executable, "-c", LOOP, str(tmp_path / "w")]
    assert subprocess.run(words, env=variables, capture_output=True, text=True, check=True).stdout == "own_program\n" * 2


def test_its_rule_is_told(runs: Path) -> None:
    with Gate([Grant(runs / "w", "/w")], component=component()) as gate, pytest.raises(errors.DeniedByPolicyError) as refused:
        gate.delete(f"{SITE}/fsgate/gate.py")
    assert refused.value.rule == "own_program"
