"""The files of the compiled corpus. Their members go to dataclasses, which refuse unknown ones."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .trees import Tree

DIRECTORY = Path(__file__).resolve().parents[4] / "target/corpus"


def cases(name: str) -> Iterator[dict[str, Any]]:
    """Yields the members of each case. The tree after it is absent if the line has none."""
    file = DIRECTORY / f"{name}.jsonl"
    if not file.exists():
        raise FileNotFoundError(f"{file} is missing: run `make corpus`")
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            if "after" in case:
                case["after"] = Tree(**case["before"] | case["after"])
            yield case | {"before": Tree(**case["before"])}
