"""Puts the component into the package: that of `FSGATE_COMPONENT`, or the one that `make component` has written."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ComponentHook(BuildHookInterface):  # type: ignore[type-arg]
    """Every distribution has the component; one that is built from another distribution has it already."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Names the file for the build."""
        if version == "editable":
            return
        inside = "src/fsgate/fsgate.wasm" if self.target_name == "sdist" else "fsgate/fsgate.wasm"
        root = Path(self.root)
        if (root / "PKG-INFO").exists():
            return
        component = Path(os.environ.get("FSGATE_COMPONENT") or root.parents[1] / "target/fsgate.wasm").absolute()
        if not component.is_file():
            raise FileNotFoundError(f"no component at {component}: `make component` writes it, FSGATE_COMPONENT names another")
        build_data["force_include"][str(component)] = inside
