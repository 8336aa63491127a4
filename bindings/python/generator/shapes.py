"""From JSON schemas and their names in `wit/` to Python's types."""

import json
import re
from dataclasses import dataclass
from typing import Any

from .wit import Contract

Schema = dict[str, Any]

SIMPLE = {"integer": "int", "boolean": "bool", "string": "str"}


@dataclass
class Field:
    """A field of a dataclass, or an argument."""

    name: str
    type: str
    documentation: str
    #: The default: an expression, or nothing for a required one.
    default: str | None


@dataclass
class Record:
    """A dataclass."""

    name: str
    documentation: str
    fields: list[Field]
    #: The payload field of each case of a variant.
    cases: dict[str, str | None] | None = None


class Shapes:
    """The types found so far."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.records: dict[str, Record] = {}
        #: The words and documentation of each enumeration.
        self.words: dict[str, tuple[list[str], str]] = {}

    def record(self, schema: Schema, name: str) -> str:
        """Adds a record with this name in `wit/`, and returns its name in Python."""
        shown = camel(name)
        if shown not in self.records:
            self.records[shown] = Record(shown, "", [])
            documentation = self.contract.types[name].documentation
            self.records[shown] = Record(shown, documentation, self.fields(schema, name))
        return shown

    def fields(self, schema: Schema, name: str) -> list[Field]:
        """The fields of a record, required ones first."""
        required = schema.get("required", [])
        found = [self._field(name, field, inner, field in required) for field, inner in schema["properties"].items()]
        return sorted(found, key=lambda field: field.default is not None)

    def _field(self, record: str, name: str, schema: Schema, is_required: bool) -> Field:
        # Any other field is the payload of the record's variant, and has the name of its type.
        kebab = name.replace("_", "-")
        members = self.contract.types[record].members
        written = members.get(kebab, (kebab, ""))[0] or kebab
        type_ = self.type(schema, written)
        documentation = schema.get("description", "")
        if "default" in schema:
            documentation += f" Default: {_json(schema['default'])}."
        if is_required:
            return Field(name, type_, documentation, None)
        # A required list exists even where JSON leaves it out, because it is empty.
        if kebab in members and self.contract.resolved(written).startswith("list<"):
            return Field(name, type_, documentation, "dataclasses.field(default_factory=list)")
        return Field(name, f"{type_} | None", documentation, "None")

    def type(self, schema: Schema, written: str) -> str:
        """The annotation of a value's type."""
        wit = self.contract.resolved(written)
        if inner := re.fullmatch(r"option<(.+)>", wit):
            return self.type(schema, inner[1])
        kind = schema["type"]
        if kind == "object":
            return self.record(schema, wit)
        if kind == "array":
            element = re.fullmatch(r"list<(.+)>", wit)
            if element is None:
                raise ValueError(f"`{wit}` is no list")
            return f"list[{self.type(schema['items'], element[1])}]"
        if "enum" in schema:
            return self._words(wit)
        if schema.get("contentEncoding") == "base64":
            return "builtins.bytes"
        return SIMPLE[kind]

    def _words(self, wit: str) -> str:
        members = self.contract.types[wit]
        words = [snake(name) for name in members.members]
        self.words.setdefault(camel(wit), (words, members.documentation))
        return camel(wit)

    def native(self, written: str) -> str:
        """The type of a value outside of JSON."""
        wit = self.contract.resolved(written)
        if inner := re.fullmatch(r"option<(.+)>", wit):
            return f"{self.native(inner[1])} | None"
        if inner := re.fullmatch(r"list<(.+)>", wit):
            return "builtins.bytes" if inner[1] == "u8" else f"list[{self.native(inner[1])}]"
        if wit in ("string", "bool", "u32", "u64"):
            return {"string": "str", "bool": "bool"}.get(wit, "int")
        members = self.contract.types[wit]
        if members.kind == "enum":
            return self._words(wit)
        if members.kind == "variant" and camel(wit) not in self.records:
            self.records[camel(wit)] = self._variant(wit)
        if camel(wit) not in self.records:
            self.records[camel(wit)] = Record(camel(wit), members.documentation, self.native_fields(wit))
        return camel(wit)

    def _variant(self, wit: str) -> Record:
        """A variant in JSON: the case under its own name, the payload under that of its type."""
        members = self.contract.types[wit]
        cases = {snake(name): payload for name, (payload, _) in members.members.items()}
        fields = {case: payload and snake(payload) for case, payload in cases.items()}
        means = " ".join(f"`{snake(name)}`: {said}" for name, (_, said) in members.members.items())
        tag = f"Literal[{', '.join(json.dumps(case) for case in cases)}]"
        record = Record(camel(wit), members.documentation, [Field(snake(wit), tag, means, None)], fields)
        for payload in dict.fromkeys(filter(None, cases.values())):
            with_cases = ", ".join(f"`{case}`" for case, name in cases.items() if name == payload)
            type_ = self.native(payload)
            said = f"With {with_cases}: {self.said(payload)}"
            record.fields.append(Field(snake(payload), f"{type_.removesuffix(' | None')} | None", said, "None"))
        return record

    def said(self, name: str) -> str:
        """The documentation of a type."""
        if name in self.contract.aliases:
            return self.contract.aliases[name][1]
        return self.contract.types[name].documentation

    def native_fields(self, record: str) -> list[Field]:
        """The fields of a record outside of JSON."""
        found = []
        for name, (written, documentation) in self.contract.types[record].members.items():
            type_ = self.native(written or name)
            text, default = told(documentation)
            is_option = type_.endswith("| None")
            found.append(Field(snake(name), type_, text + default, "None" if is_option else None))
        return sorted(found, key=lambda field: field.default is not None)


def told(documentation: str) -> tuple[str, str]:
    """A field's documentation, and the sentence about its default."""
    lines = documentation.splitlines()
    default = next((line for line in lines if line.startswith("@default ")), "")
    value = default.removeprefix("@default ").removeprefix("none ")
    text = "\n".join(line for line in lines if not line.startswith("@"))
    return text, f" Default: {value}." if value else ""


def snake(name: str) -> str:
    """`read-many` as `read_many`."""
    return name.replace("-", "_")


def camel(name: str) -> str:
    """`read-many-args` as `ReadManyArgs`."""
    return "".join(word.capitalize() for word in name.replace("_", "-").split("-"))


def _json(value: object) -> str:
    return f"`{json.dumps(value)}`"
