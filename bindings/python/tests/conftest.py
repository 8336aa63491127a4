"""What tests begin with."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgate import Gate, Grant

#: The repository that the tests stand in.
REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True, scope="session")
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test writes to the home of whoever runs it. Compiled code is kept as it always is: compiling takes time."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


TOLD = Counter[str]()


@pytest.fixture
def told() -> Counter[str]:
    """What is counted, and told in the end."""
    return TOLD


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What was left out, and why, is part of a run's result."""
    for what, count in sorted(TOLD.items()):
        terminalreporter.write_line(f"{count:6} {what}")


Opener = Callable[..., Gate]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opener]:
    """Opens gates over the directory `w` of a test, as `/w`."""
    (tmp_path / "w").mkdir()
    gates = []

    def open_gate(**options: Any) -> Gate:
        gate = Gate(options.pop("dirs", [Grant(tmp_path / "w", "/w")]), **{"component": component(), **options})
        gates.append(gate)
        return gate

    yield open_gate
    for gate in gates:
        gate.close()


def component() -> str | None:
    """Another component than the one of the package, if somebody names one."""
    return os.environ.get("FSGATE_COMPONENT_UNDER_TEST")
