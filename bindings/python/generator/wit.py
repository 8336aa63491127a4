"""The part of WIT that this contract uses, read strictly: an unknown line is an error."""

import re
from dataclasses import dataclass, field
from pathlib import Path

LINE = {
    "package": re.compile(r"package [^;]+;"),
    "use": re.compile(r"use [\w.-]+\.\{"),
    "interface": re.compile(r"(?:interface|world) ([\w-]+) \{"),
    "record": re.compile(r"record ([\w-]+) \{"),
    "variant": re.compile(r"variant ([\w-]+) \{"),
    "enum": re.compile(r"enum ([\w-]+) \{"),
    "alias": re.compile(r"type ([\w-]+) = (.+);"),
    "function": re.compile(r"%?([\w-]+): func\((?:(?:args|start|directory): ([\w-]+))?\) -> (.+);"),
    "export": re.compile(r"export [\w-]+;"),
    "member": re.compile(r"%?([\w-]+)(?:: ([^,]+)|\(([\w-]+)\))?,"),
    "end": re.compile(r"\}"),
}


@dataclass
class Members:
    """A record's fields, a variant's cases or an enum's, with optional types and documentation."""

    #: `record`, `variant` or `enum`.
    kind: str
    documentation: str
    members: dict[str, tuple[str | None, str]] = field(default_factory=dict)


@dataclass
class Function:
    """A function that takes one record, or nothing."""

    documentation: str
    args: str | None
    result: str


@dataclass
class Contract:
    """All interfaces. Names of types are unique among them."""

    types: dict[str, Members] = field(default_factory=dict)
    aliases: dict[str, tuple[str, str]] = field(default_factory=dict)
    functions: dict[str, dict[str, Function]] = field(default_factory=dict)

    def resolved(self, name: str) -> str:
        """A type behind its aliases."""
        while name in self.aliases:
            name = self.aliases[name][0]
        return name


def read(directory: Path) -> Contract:
    """Reads every file of a directory."""
    contract = Contract()
    for file in sorted(directory.glob("*.wit")):
        # The lean set is served by the program alone, and its types have names of their own there.
        if file.name == "lean.wit":
            continue
        _file(contract, file)
    return contract


def _file(contract: Contract, file: Path) -> None:
    interface, inside, in_use = "", None, False
    said: list[str] = []
    for number, line in enumerate(map(str.strip, file.read_text().splitlines()), 1):
        if in_use or not line:
            in_use = in_use and not line.endswith("};")
            continue
        if line.startswith("///"):
            said.append(line.removeprefix("///").strip())
            continue
        kind, match = _kind(line, f"{file.name}:{number}")
        name, documentation = (match[1] if match.re.groups else ""), "\n".join(said)
        said = []
        if kind == "use":
            in_use = not line.endswith("};")
        elif kind == "interface":
            interface = name
        elif kind in ("record", "variant", "enum"):
            if name in contract.types:
                raise ValueError(f"{file.name}:{number}: `{name}` is there twice")
            inside = contract.types[name] = Members(kind, documentation)
        elif kind == "alias":
            contract.aliases[name] = (match[2], documentation)
        elif kind == "function":
            functions = contract.functions.setdefault(interface, {})
            functions[name] = Function(documentation, match[2], match[3])
        elif kind == "member":
            if inside is None:
                raise ValueError(f"{file.name}:{number}: `{line}` stands in nothing")
            inside.members[name] = (match[2] or match[3], documentation)
        elif kind == "end":
            inside = None


def _kind(line: str, place: str) -> tuple[str, re.Match[str]]:
    for kind, pattern in LINE.items():
        if match := pattern.match(line) if kind == "use" else pattern.fullmatch(line):
            return kind, match
    raise ValueError(f"{place}: `{line}` is not understood")
