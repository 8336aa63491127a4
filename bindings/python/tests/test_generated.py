"""The generated modules are what the contract makes of them now."""

import inspect
import json
from pathlib import Path

import pytest

import fsgate
from conftest import REPOSITORY, component
from fsgate import AsyncGate, FsgateError, Gate, errors, types
from generator import wit
from generator.modules import modules

CONTRACT = wit.read(REPOSITORY / "wit")


@pytest.fixture(scope="module")
def catalogue() -> list[dict[str, object]]:
    with Gate(nothing=True, component=component()) as gate:
        # In the form that `fsgate tools --json` has.
        return [json.loads(json.dumps(vars(tool))) for tool in gate.tools()]


def test_they_are_made_from_the_contract(catalogue: list[dict[str, object]]) -> None:
    made = modules(catalogue, CONTRACT)
    for name, text in made.items():
        committed = (REPOSITORY / "bindings/python/src/fsgate" / name).read_text()
        assert committed == text, f"{name} is out of date: `make reference` writes it anew"


def test_every_operation_and_front_end_has_a_method_with_documentation(catalogue: list[dict[str, object]]) -> None:
    front_ends = [name.replace("-", "_") for name in CONTRACT.functions["front-ends"]]
    for name in [str(tool["name"]) for tool in catalogue] + front_ends:
        method, waiting = getattr(Gate, name), getattr(AsyncGate, name)
        assert inspect.getdoc(method), name
        assert inspect.iscoroutinefunction(waiting), name
        assert inspect.signature(method).parameters.keys() == inspect.signature(waiting).parameters.keys()


def test_every_code_has_an_exception() -> None:
    codes = {case.replace("-", "_") for case in CONTRACT.types["code"].members}
    assert codes == errors.BY_CODE.keys()
    for code, error in errors.BY_CODE.items():
        assert issubclass(error, FsgateError) and error.__doc__, code


def test_what_is_public_has_documentation() -> None:
    for name in fsgate.__all__:
        public = getattr(fsgate, name)
        assert inspect.getdoc(public) or not inspect.isclass(public), name
    assert len([kind for kind in vars(types).values() if inspect.isclass(kind) and kind.__module__ == types.__name__]) > 40


FRONT_END = """
interface front-ends {
  /// A text.
  type text = string;
  /// Arguments.
  record args {
    /// X.
    x: option<list<text>>,
  }
  /// An answer.
  variant answer {
    /// Done.
    done(text),
    /// Gone.
    all-gone,
  }
  variant code {
    /// It failed.
    io(text),
  }
  /// Does it.
  do-it: func(args: args) -> answer;
}
"""


def test_a_variant_becomes_a_dataclass_with_its_cases(tmp_path: Path) -> None:
    (tmp_path / "a.wit").write_text(FRONT_END)
    made = modules([], wit.read(tmp_path))
    assert 'CASES: ClassVar[dict[str, str | None]] = {\n        "done": "text",\n        "all_gone": None,' in made["types.py"]
    assert 'answer: Literal["done", "all_gone"]\n    """`done`: Done. `all_gone`: Gone."""' in made["types.py"]
    assert 'text: str | None = None\n    """With `done`: A text."""' in made["types.py"]
    assert "        x: list[str] | None = None,\n    ) -> Answer:" in made["_methods.py"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("interface a {\n  record x {\n    y: string,\n  }\n  type z = list<x>;\n}", None),
        ("interface a {\n  flags x { y }\n}", "flags x { y }` is not understood"),
        ("interface a {\n  y: string,\n}", "stands in nothing"),
        ("interface a {\n  record x {\n  }\n  record x {\n  }\n}", "is there twice"),
    ],
)
def test_a_contract_is_read_strictly(text: str, problem: str | None, tmp_path: Path) -> None:
    (tmp_path / "a.wit").write_text(text)
    if problem is None:
        read = wit.read(tmp_path)
        assert (read.types["x"].members, read.resolved("z")) == ({"y": ("string", "")}, "list<x>")
    else:
        with pytest.raises(ValueError, match=problem):
            wit.read(tmp_path)
