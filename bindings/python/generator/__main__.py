"""Writes the generated modules: `fsgate tools --json | python3 -m generator`, beside
`pyproject.toml`.
"""

import json
import sys
from pathlib import Path

from .modules import modules
from .wit import read

HERE = Path(__file__).resolve().parents[1]

for name, content in modules(json.load(sys.stdin), read(HERE.parents[1] / "wit")).items():
    (HERE / "src" / "fsgate" / name).write_text(content)
