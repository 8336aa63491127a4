"""The program: this package, the engine, and anything that Python would take for them at the next
start.
"""

import sys
from importlib.machinery import all_suffixes
from pathlib import Path

import wasmtime

from ._places import StrPath, is_same


def program(component: StrPath | None) -> list[Path]:
    """All of its paths, also missing ones. The interpreter and other packages are not included."""
    packages = [Path(module).absolute().parent for module in (__file__, wasmtime.__file__)]
    found = [path for package in packages for path in (package, *before(package))]
    return found + ([] if component is None else [Path(component).absolute()])


def before(package: Path) -> list[Path]:
    """The paths that Python would import before a package: its name in the earlier directories, or
    in all if it was found elsewhere.
    """
    found: list[Path] = []
    for entry in sys.path:
        directory = Path(entry).absolute()
        if is_same(directory, package.parent):
            break
        found += [directory / f"{package.name}{suffix}" for suffix in ("", *all_suffixes())]
    return found
