"""Puts the component and the licenses into the package.

The component is that of `FSGATE_COMPONENT`, or the one that `make component` has written.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ComponentHook(BuildHookInterface):  # type: ignore[type-arg]
    """Every distribution has them; one that is built from another distribution has them already."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Names the files for the build."""
        if version == "editable":
            return
        root = Path(self.root)
        if (root / "PKG-INFO").exists():
            return
        repository = root.parents[1]
        component = Path(os.environ.get("FSGATE_COMPONENT") or repository / "target/fsgate.wasm").absolute()
        if not component.is_file():
            raise FileNotFoundError(f"no component at {component}: `make component` writes it, FSGATE_COMPONENT names another")
        inside = "src/fsgate" if self.target_name == "sdist" else "fsgate"
        build_data["force_include"][str(component)] = f"{inside}/fsgate.wasm"
        for license in ("LICENSE-APACHE", "LICENSE-MIT"):
            build_data["force_include"][str(repository / license)] = f"{inside}/{license}"
