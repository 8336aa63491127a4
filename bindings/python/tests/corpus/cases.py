"""Case files."""

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

from . import placeholders, trees
from .trees import Tree

#: The files whose cases are of every tool: calls whose mistakes are in the JSON itself, and calls that a policy refuses.
AGENT, POLICY = "agent", "policy"

BLOCKS = (("before",), ("call",), ("outcome", "error"), ("after",))


@dataclass
class Case:
    """One case."""

    file: str
    tool: str
    name: str
    #: Where it runs, if not everywhere, and why.
    only: tuple[str, str] | None = None
    before: Tree = field(default_factory=Tree)
    policy: str | None = None
    #: The policy stands behind the earlier calls: it holds from then on, in another session.
    is_late: bool = False
    #: The tools and arguments of calls that are made before.
    earlier: list[tuple[str, str]] = field(default_factory=list)
    call: str = ""
    expected: dict[str, Any] = field(default_factory=dict)
    is_error: bool = False
    after: Tree = field(default_factory=Tree)

    def with_ids(self, ids: list[str]) -> "Case":
        """The same with the ids that earlier calls have got."""
        expected = json.loads(numbered(json.dumps(self.expected), ids))
        return replace(self, call=numbered(self.call, ids), expected=expected)

    def arguments(self, text: str) -> str:
        """Arguments as they are sent: as they are written, but for what placeholders stand for."""
        if "$" not in text:
            return text
        try:
            value = json.loads(text)
        except ValueError:
            return placeholders.repeated(text)
        expanded = placeholders.expanded(value, self.before, self.after, text)
        return text if expanded == value else json.dumps(expanded)


def numbered(text: str, ids: list[str]) -> str:
    """The text with `$undo-id(N)` as the id that the call of that number got."""
    for number, id in enumerate(ids, 1):
        text = text.replace(f"$undo-id({number})", id)
    return text


def parsed(file: str, text: str) -> list[Case]:
    """The cases of one file."""
    cases: list[tuple[Case, list[tuple[str, str]]]] = []
    tool: str | None = None
    is_inside = False
    lines = enumerate(text.split("\n"), 1)
    for number, line in lines:
        where = f"{file}.cases.md:{number}: `{line}`"
        if line.startswith("### "):
            if tool is None or not re.fullmatch(r"[a-z0-9-]+", line[4:]):
                raise ValueError(f"{where}: a case has a tool before it, and a name in kebab-case")
            cases.append((Case(file, tool, line[4:]), []))
            is_inside = True
        elif line.startswith("## "):
            tool, is_inside = placeholders.repeated(line[3:]), False
        elif line.startswith("##"):
            raise ValueError(f"{where}: no such heading")
        elif line.startswith(("```", "only: ")):
            if not is_inside:
                raise ValueError(f"{where}: it stands outside of a case")
            if line.startswith("only: "):
                cases[-1] = (replace(cases[-1][0], only=_only(line, where)), cases[-1][1])
                continue
            block = []
            for _, inner in lines:
                if inner == "```":
                    break
                block.append(inner)
            else:
                raise ValueError(f"{where}: the block has no end")
            cases[-1][1].append((line[3:], "\n".join(block)))
    return [_finished(case, blocks) for case, blocks in cases]


def _only(line: str, where: str) -> tuple[str, str]:
    volume, _, reason = line.removeprefix("only: ").partition(", ")
    if volume not in ("memory", "disk") or not reason:
        raise ValueError(f"{where}: a restriction is `only: memory, REASON` or `only: disk, REASON`")
    return volume, reason


def _finished(case: Case, blocks: list[tuple[str, str]]) -> Case:
    where = f"{case.file}.cases.md, {case.name}"
    four: list[tuple[str, str]] = []
    for info, text in blocks:
        if info == "policy" or info.startswith("earlier "):
            if len(four) != 1 or (info == "policy" and case.policy is not None):
                raise ValueError(f"{where}: `{info}` stands once, between the tree before and the call")
            json.loads(text)
            if info == "policy":
                case.policy, case.is_late = text, bool(case.earlier)
            else:
                case.earlier.append((info.removeprefix("earlier "), text))
        elif len(four) == 4 or info not in BLOCKS[len(four)]:
            raise ValueError(f"{where}: `{info}` stands where another block is wanted")
        else:
            four.append((info, text))
    if len(four) != 4:
        raise ValueError(f"{where}: a case has four blocks")
    (_, before), (_, case.call), (kind, expected), (_, after) = four
    case.before = trees.parsed(before)
    case.after = case.before if after == "unchanged" else trees.parsed(after)
    case.after = Tree(case.before.grants, case.after.items, case.after.moved)
    case.expected, case.is_error = json.loads(expected), kind == "error"
    if case.is_error and ("code" not in case.expected or (after != "unchanged" and "applied" not in case.expected)):
        raise ValueError(f"{where}: an error has a code, and changes nothing unless it says so")
    if case.file not in (AGENT, POLICY, case.tool) or (case.file == POLICY and case.policy is None):
        raise ValueError(f"{where}: it stands in the wrong file")
    return case
