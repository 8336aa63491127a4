"""The wheel: what is in it, and that it is all that somebody needs."""

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from conftest import REPOSITORY

WHEEL = os.environ.get("FSGATE_WHEEL")

pytestmark = pytest.mark.skipif(WHEEL is None, reason="no wheel is named in FSGATE_WHEEL")


def test_it_holds_what_it_needs_and_nothing_else() -> None:
    with zipfile.ZipFile(WHEEL or "") as wheel:
        names = wheel.namelist()
    for name in ("py.typed", "fsgate.wasm", "LICENSE-MIT", "LICENSE-APACHE", "gate.py"):
        assert f"fsgate/{name}" in names
    assert [name for name in names if not re.match(r"fsgate(-[0-9.]+\.dist-info)?/", name)] == []


def contents(file: Path | str) -> dict[str, bytes]:
    """The files of a wheel. Their list is made by whoever packs them."""
    with zipfile.ZipFile(file) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/RECORD")}


def test_its_licenses_are_those_of_the_repository() -> None:
    packed = contents(WHEEL or "")
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert packed[f"fsgate/{name}"] == (REPOSITORY / name).read_bytes()


def test_a_source_distribution_makes_the_same_wheel(tmp_path: Path) -> None:
    (tmp_path / "fsgate.wasm").write_bytes(contents(WHEEL or "")["fsgate/fsgate.wasm"])

    def run(*words: str | Path, **variables: str) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "FSGATE_COMPONENT"} | variables
        subprocess.run([sys.executable, "-m", *words], cwd=REPOSITORY / "bindings/python", env=environment, check=True)

    run("hatchling", "build", "--target", "sdist", "--directory", tmp_path, FSGATE_COMPONENT=str(tmp_path / "fsgate.wasm"))
    (packed,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        # Neither tests nor links that lead to nothing where the repository is not.
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
        assert len(names) == len(archive.getnames())
    assert {name for name in names if not name.startswith("src/fsgate/")} == {
        ".gitignore", "PKG-INFO", "README.md", "hatch_build.py", "pyproject.toml"
    }  # fmt: skip
    # The component is inside: nothing else of the repository is needed, and nobody names one.
    run("pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, packed)
    (wheel,) = tmp_path.glob("*.whl")
    assert contents(wheel) == contents(WHEEL or "")


def test_no_link_of_its_page_leads_into_the_repository() -> None:
    # Where the package is published there is nothing around the page.
    page = contents(WHEEL or "")
    (metadata,) = (text.decode() for name, text in page.items() if name.endswith(".dist-info/METADATA"))
    links = re.findall(r"\]\(([^)]*)\)", metadata)
    assert links
    assert [link for link in links if not link.startswith("https://")] == []


def test_the_lines_of_the_readme_run_where_nothing_else_is_installed(tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    python = environment / "bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", WHEEL], check=True)
    (tmp_path / "project").mkdir()
    (tmp_path / "project/notes.md").write_text("# Notes\ndraft\n")
    found = re.search(r"```python\n(.*?)```", (REPOSITORY / "bindings/python/README.md").read_text(), re.DOTALL)
    assert found
    said = subprocess.run([python, "-c", found[1]], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == ["1: # Notes", "2: final", "not_granted", "/w/notes.md"]


PROGRAM = """
import asyncio
from fsgate import AsyncGate, FsgateError, Gate, Grant, Limits, errors, openai, types

def used(gate: Gate) -> int:
    try:
        outcome: types.ReplaceOutcome = gate.replace("a.txt", "old", "new", occurrence=2, dry_run=True)
        lines: list[int] = outcome.lines
    except errors.AmbiguousError as refused:
        lines = refused.lines
    except FsgateError as refused:
        raise SystemExit(refused.repair) from refused
    gate.grep("x", mode="files", include=["*.py"])
    output: str = gate.sham("text", as_user=False).output
    return len(lines) + len(output)

async def waited_for() -> str:
    async with AsyncGate(Gate([Grant("project", "/w", read_only=True)], limits=Limits(deadline=5))) as gate:
        return (await gate.read("a.txt", max_lines=3)).content

def misused(gate: Gate) -> None:
    gate.read("a.txt", max_line=3)  # type: ignore[call-arg]
    gate.replace("a.txt", "old")  # type: ignore[call-arg]
    gate.grep("x", mode="lines")  # type: ignore[arg-type]
    gate.read("a.txt").contents  # type: ignore[attr-defined]

asyncio.run(waited_for())
print(openai.definitions(Gate(["project"])))
"""


def test_its_types_are_what_they_say(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
