"""Static escapes: what lies outside has no name inside, by any spelling and by any link."""

from pathlib import Path

import pytest

from conftest import Opener
from fsgate import FsgateError

SECRET = "classified"

PATHS = [
    "../o/secret",
    "/w/../o/secret",
    "/../o/secret",
    "d/../../o/secret",
    "/o/secret",
    "{root}/o/secret",
    "{root}/w/../o/secret",
    "file://{root}/o/secret",
    "out",
    "out-absolute",
    "away/secret",
    "away-absolute/secret",
    "chain",
    "d/up/o/secret",
    "inside/../o/secret",
    "/proc/self/root{root}/o/secret",
    "/proc/self/cwd",
    "/dev/stdin",
    "/.fsgate",
    "/.fsgate/../o/secret",
    "..\\o\\secret",
    "%2e%2e/o/secret",
    "\uff0e\uff0e/o/secret",
]

CALLS = {
    "read": {},
    "read_numbered": {},
    "read_bytes": {},
    "stat": {},
    "list_directory": {},
    "tree": {},
    "grep": {"pattern": "class"},
    "glob": {"pattern": "**"},
    "write": {"content": "changed", "parents": False},
    "append": {"content": "changed", "parents": False},
    "replace": {"old": SECRET, "new": "changed"},
    "delete_directory": {"recursive": True},
}


@pytest.mark.parametrize("tool", CALLS)
def test_nothing_outside_is_reached(opened: Opener, tmp_path: Path, tool: str) -> None:
    root, inside = tmp_path, tmp_path / "w"
    (root / "o").mkdir()
    (root / "o/secret").write_text(SECRET)
    (inside / "d").mkdir()
    for name, target in {
        "out": "../o/secret",
        "out-absolute": f"{root}/o/secret",
        "away": "../o",
        "away-absolute": f"{root}/o",
        "chain": "out",
        "d/up": "../..",
        "inside": "d",
    }.items():
        (inside / name).symlink_to(target)
    gate = opened()
    for path in PATHS:
        answer = gate.answer(tool, {"path": path.format(root=root), **CALLS[tool]})
        assert SECRET not in answer.text, path
        # An odd spelling is an ordinary name inside, and may be created there.
        assert answer.is_error or tool in ("write", "append"), f"{path}: {answer.text}"
        assert (root / "o/secret").read_text() == SECRET, path
        assert [entry.name for entry in (root / "o").iterdir()] == ["secret"], path
    with pytest.raises(FsgateError):
        gate.copy("out", "copied")
    with pytest.raises(FsgateError):
        gate.move("d", "../o/d")
