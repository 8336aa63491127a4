"""What runs here: this package, the engine, and what Python would take for them at the next start."""

import sys
from importlib.machinery import all_suffixes
from pathlib import Path

import wasmtime

from ._places import StrPath, is_same


def program(component: StrPath | None) -> list[Path]:
    """All of it, also the names under which there is nothing yet. The interpreter and other packages are not meant."""
    packages = [Path(module).absolute().parent for module in (__file__, wasmtime.__file__)]
    found = [path for package in packages for path in (package, *before(package))]
    return found + ([] if component is None else [Path(component).absolute()])


def before(package: Path) -> list[Path]:
    """What would be imported in the place of a package: its name in the directories that Python looks into first. Where it was
    found by something else than these, they all are.
    """
    found: list[Path] = []
    for entry in sys.path:
        directory = Path(entry).absolute()
        if is_same(directory, package.parent):
            break
        found += [directory / f"{package.name}{suffix}" for suffix in ("", *all_suffixes())]
    return found
