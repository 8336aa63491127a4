#!/usr/bin/env python3
"""Counts product code: lines without tests, comments and blank lines, words of comments, type names.

    tests/lines.py [REPOSITORY]

prints one row for each part. A type name is shared when more than one type of the workspace has it.
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

PARTS = [
    *(f"guest/{crate}" for crate in ("contract", "text", "policy", "volume", "error", "journal", "engine")),
    *(f"guest/{crate}" for crate in ("core", "command-line", "src")),  # names of earlier commits
    *(f"guest/{crate}" for crate in ("compat", "cli", "components", "generator", "artifact")),
    "host", "bindings/python", "bindings/js",
]
SOURCES = (".rs", ".py", ".ts")
TESTS = re.compile(r"(^|/)(tests?|testing|examples|node_modules|generator/tests)(/|\.)|(^|/)(model|stepped)\.rs$")
TYPE = re.compile(r"^\s*(?:pub(?:\([a-z]+\))? )?(?:struct|enum|trait|type|union) (\w+)")
IN_TESTS = re.compile(r"^( *)#\[cfg\((?:all\()?test\b")


def lines_of(path: Path) -> list[str]:
    """The lines of a source file without its unit tests."""
    kept, lines, at = [], path.read_text().splitlines(), 0
    while at < len(lines):
        found = IN_TESTS.match(lines[at])
        if not found:
            kept.append(lines[at])
            at += 1
            continue
        # The item ends on its line, or with the bracket that has its indentation.
        at += 1
        while lines[at].lstrip().startswith("#["):
            at += 1
        if lines[at].rstrip().endswith("{"):
            end = found.group(1) + "}"
            while lines[at].rstrip() != end:
                at += 1
        at += 1
    return kept


def counted(path: Path) -> tuple[int, int, list[str]]:
    """Lines of code, words of comments, and names of types in one file."""
    code, words, types, is_text = 0, 0, [], False
    marks = ("#",) if path.suffix == ".py" else ("//", "/*", "*")
    for line in lines_of(path):
        bare = line.strip()
        quotes = bare.count('"""') if path.suffix == ".py" else 0
        if is_text or quotes:
            words += len(re.findall(r"\w+", bare))
            is_text ^= quotes % 2 == 1
        elif bare.startswith(marks) and not bare.startswith(("#[", "#!")):
            words += len(re.findall(r"[\w']+", bare))
        elif bare:
            code += 1
            if path.suffix == ".rs" and (found := TYPE.match(line)):
                types.append(found.group(1))
    return code, words, types


def main(root: Path) -> None:
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True)
    rows, types = {part: [0, 0] for part in PARTS}, Counter()
    generated = ("_methods.py", "/types.py", "fsgate.d.ts")
    for name in listed.stdout.splitlines():
        part = next((part for part in PARTS if name.startswith(part + "/")), None)
        if part and name.endswith(SOURCES) and not name.endswith(generated) and not TESTS.search(name):
            code, words, named = counted(root / name)
            rows[part][0] += code
            rows[part][1] += words
            types.update(named)
    print(f"{'part':<20} {'code lines':>10} {'comment words':>14}")
    for part, (code, words) in rows.items():
        if code:
            print(f"{part:<20} {code:>10} {words:>14}")
    code, words = (sum(row[at] for row in rows.values()) for at in (0, 1))
    print(f"{'all':<20} {code:>10} {words:>14}")
    shared = sum(count for count in types.values() if count > 1)
    print(f"types: {types.total()}, with a shared name: {shared} ({100 * shared // types.total()} %)")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent))
