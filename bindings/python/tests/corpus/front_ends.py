"""Cases of front ends: those in the directories of the corpus, in the notations of their systems. What is not understood is an
error here too, and what is expected is what the core's own tests expect.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import trees
from .placeholders import TIME
from .trees import File, Granted, Tree

#: The blocks of a case: those that every one has, and those that it may have.
BLOCKS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "command": (("text",), ("before", "answer", "done", "failed", "needs-options", "after")),
    "file-action": (("text", "output"), ("before", "after")),
    "plugin": (("text", "output"), ("before", "now", "events", "after")),
    "sham": (("sh sham", "json"), ()),
    "workflow": (("workflow", "json"), ("before", "policy", "variables", "after")),
}

#: What a command may come to: a case says one of them.
OUTCOMES = ("done", "failed", "needs-options")

#: What the cases find granted. Paths in trees of `workflow` begin with one of its directories, all others are below `tmp`.
TMP = [Granted("tmp", "/tmp", read_only=False)]
PROJECT = [Granted("project", "/home/user/project", read_only=False), Granted("templates", "/shared/templates", read_only=True)]

#: The lines of a tree; `repeated PATH TIMES TEXT` is one of `workflow` only.
LINES = ("file", "directory", "link")
LINES_OF_WORKFLOWS = (*LINES, "bytes", "repeated")

#: Files that cases of SHAM find in their directories, by group and name of the case: as `tests/src/sham_cases.rs` has them.
FILES = {
    ("file_replace_text", "simple-text-replacement"): ("replace-test.txt", "Hello World"),
    ("file_replace_text", "replace-with-count-limit"): ("multi-replace.txt", "foo bar foo baz foo qux foo"),
    ("file_replace_text", "replace-text-not-found"): ("no-match.txt", "This file has no matches"),
    ("file_replace_text", "multiline-replacement"): (
        "multiline-replace.txt",
        "export function oldName() {\n  console.log('oldName');\n  return oldName;\n}\n\n"
        "function oldName() {\n  return oldName;\n}\n\nconst x = oldName();",
    ),
    ("file_replace_text", "empty-old-text-error"): ("empty-search.txt", "Some content here"),
    ("file_replace_text", "file-replace-text-multiple-occurrences"): (
        "multiple-occurrences.txt",
        "duplicate text with duplicate word and duplicate again",
    ),
    ("file_replace_text", "file-replace-all-text-no-count"): ("replace-all.txt", "foo bar foo baz foo"),
    ("file_replace_text", "file-replace-all-text-count-mismatch"): ("count-mismatch.txt", "test this test case"),
}


@dataclass(frozen=True)
class Case:
    """One case."""

    front_end: str
    group: str
    name: str
    blocks: dict[str, str]

    @property
    def before(self) -> Tree:
        """What is there before it."""
        if self.front_end != "sham":
            return _tree(self.front_end, self.blocks.get("before", ""))
        directory = f"tmp/t_{self.name}"
        found = [FILES[self.group, self.name]] if (self.group, self.name) in FILES else []
        files: dict[str, trees.Item] = {f"{directory}/{name}": File(content.encode()) for name, content in found}
        return Tree(TMP, {directory: trees.Directory()} | files)

    @property
    def policy(self) -> str | None:
        """The policy that holds; none is the profile `default`."""
        return self.blocks.get("policy", '{"profile": "workflow"}') if self.front_end == "workflow" else None

    @property
    def after(self) -> Tree | None:
        """What has to be there after it; nothing is said if it is none."""
        if "after" in self.blocks:
            return _tree(self.front_end, self.blocks["after"])
        # Those of SHAM have no trees at all, and those of workflows only where it matters.
        return None if self.front_end in ("sham", "workflow") else self.before


def cases(front_end: str, directory: Path) -> list[Case]:
    """All cases of a front end, in the order of their files."""
    found = [case for file in sorted(directory.iterdir()) for case in _parsed(front_end, file.name, file.read_bytes().decode())]
    names = [(case.group, case.name) for case in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"two cases have the name {twice}")
    if front_end == "sham" and (lost := FILES.keys() - set(names)):
        raise ValueError(f"there are files for {lost}, and no such cases")
    return found


def _parsed(front_end: str, file: str, text: str) -> list[Case]:
    found: list[Case] = []
    group: str | None = None
    is_inside = False
    lines = enumerate(text.split("\n"), 1)
    for number, line in lines:
        where = f"{front_end}/{file}:{number}: `{line}`"
        if line.startswith("### "):
            if group is None:
                raise ValueError(f"{where}: a case before its group")
            found.append(Case(front_end, group, _name(front_end, line[4:], where), {}))
            is_inside = True
        elif line.startswith("## "):
            group, is_inside = line[3:], False
        elif line.startswith("##"):
            raise ValueError(f"{where}: no such heading")
        elif line.startswith("```"):
            info, block = line[3:], []
            for _, inner in lines:
                if inner == "```":
                    break
                block.append(inner)
            else:
                raise ValueError(f"{where}: the block has no end")
            if info not in [name for names in BLOCKS[front_end] for name in names]:
                raise ValueError(f"{where}: cases of `{front_end}` have no such block")
            if not is_inside or info in found[-1].blocks:
                raise ValueError(f"{where}: a block stands below the name of a case, and once")
            found[-1].blocks[info] = _text(front_end, block)
    for case in found:
        _complete(case)
    return found


def _name(front_end: str, title: str, where: str) -> str:
    """Cases of SHAM have numbers, which are not in the names of their directories."""
    match = re.fullmatch(r"(\d+-)?(.+)", title)
    if match is None or (match[1] is None) is (front_end == "sham"):
        raise ValueError(f"{where}: a case has a name, and a number before it in SHAM only")
    return match[2]


def _text(front_end: str, lines: list[str]) -> str:
    """A block's text: in these two systems a text is lines with their ends."""
    return "".join(f"{line}\n" for line in lines) if front_end in ("sham", "workflow") else "\n".join(lines)


def _complete(case: Case) -> None:
    where = f"{case.front_end}, {case.group}/{case.name}"
    if missing := [name for name in BLOCKS[case.front_end][0] if name not in case.blocks]:
        raise ValueError(f"{where}: {missing} is missing")
    if case.front_end == "command" and sum(name in case.blocks for name in OUTCOMES) != 1:
        raise ValueError(f"{where}: a command comes to one of {OUTCOMES}")


def _tree(front_end: str, text: str) -> Tree:
    """A tree, as those of the other cases are read: but with other grants, and fewer kinds of lines."""
    is_workflow = front_end == "workflow"
    lines = []
    for line in filter(str.strip, text.split("\n")):
        kind, _, rest = line.partition(" ")
        if kind not in (LINES_OF_WORKFLOWS if is_workflow else LINES):
            raise ValueError(f"in a tree of `{front_end}`: no such line: {line}")
        if kind == "repeated":
            path, times, repeated = rest.split(" ", 2)
            line = f"file {path} {json.dumps(f'$repeat({times}, {json.loads(repeated)})')}"
        lines.append(line)
    items = trees.parsed("\n".join(lines)).items
    if is_workflow:
        return Tree(PROJECT, items)
    return Tree(TMP, {f"tmp/{path}": item for path, item in items.items()})


def is_text(pattern: str) -> Callable[[object], bool]:
    """Whether something is a text of this form."""
    return lambda found: isinstance(found, str) and re.fullmatch(pattern, found) is not None


is_time = is_text(TIME.pattern)

#: What stands for something else in an answer, by front end.
STANDS: dict[str, dict[str, Callable[[object], bool]]] = {
    # As JavaScript writes a time.
    "plugin": {"$time": is_text(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")},
    "sham": {"$time": is_time},
    "workflow": {
        "$any": lambda _: True,
        "$time": is_time,
        "$moment": lambda found: found is None or is_time(found),
        "$sha256": is_text("[0-9a-fA-F]{64}"),
        "$history": is_text("history:[0-9a-fA-F]{32}"),
    },
}


def compared(case: Case, at: str, expected: Any, found: Any) -> list[str]:
    """What differs. Of an error in a workflow only what is named is compared."""
    stands = STANDS.get(case.front_end, {}).get(expected) if isinstance(expected, str) else None
    if stands is not None:
        is_right = stands(found)
    elif isinstance(expected, dict) and isinstance(found, dict):
        is_open = case.front_end == "workflow" and at.endswith(".error")
        problems = [f"{at}.{name} is missing" for name in expected.keys() - found.keys()]
        if not is_open:
            problems += [f"{at}.{name} is not expected: {found[name]!r}" for name in found.keys() - expected.keys()]
        for name in expected.keys() & found.keys():
            problems += compared(case, f"{at}.{name}", expected[name], found[name])
        return problems
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found, strict=True))
        return [problem for index, pair in pairs for problem in compared(case, f"{at}[{index}]", *pair)]
    else:
        is_right = expected == found and type(expected) is type(found)
    return [] if is_right else [f"{at}\n      has to be {str(expected)[:600]!r}\n      but is    {str(found)[:600]!r}"]
