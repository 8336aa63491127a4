"""Limits that make no sense are refused where they are said."""

import math
from typing import Any

import pytest

from conftest import Opener
from fsgate import HistoryLimits, Limits, _engine, errors
from fsgate.gate import START


@pytest.mark.parametrize("value", [0, -1, -0.5, math.nan, math.inf, -math.inf, 1e300, 0.0001, True, "1", None])
def test_a_deadline_is_some_time(value: Any) -> None:
    with pytest.raises(ValueError, match="`deadline` cannot be"):
        Limits(deadline=value)


@pytest.mark.parametrize("kind", [Limits, HistoryLimits])
@pytest.mark.parametrize("value", [-1, 1 << 63, 1 << 64, 1.5, math.nan, math.inf, True, "1", None])
def test_a_size_is_a_whole_number(kind: type, value: Any) -> None:
    for name in {"memory", "result", "bytes", "entries", "days"} & kind.__dataclass_fields__.keys():
        with pytest.raises(ValueError, match=f"`{name}` cannot be"):
            kind(**{name: value})


@pytest.mark.parametrize(("kind", "may_be_nothing"), [(Limits, False), (HistoryLimits, True)])
def test_no_call_is_made_of_nothing(kind: type, may_be_nothing: bool) -> None:
    for name in {"memory", "result", "bytes", "entries", "days"} & kind.__dataclass_fields__.keys():
        if may_be_nothing:
            kind(**{name: 0})
        else:
            with pytest.raises(ValueError, match=f"`{name}` cannot be"):
                kind(**{name: 0})


@pytest.mark.parametrize(
    "options",
    [
        {"limits": Limits(deadline=1e9, memory=(1 << 63) - 1, result=(1 << 63) - 1)},
        {"limits": Limits(deadline=1)},
        {"history": HistoryLimits(bytes=0, entries=0, days=0)},
        {"history": HistoryLimits(bytes=(1 << 63) - 1, entries=(1 << 63) - 1, days=(1 << 63) - 1)},
    ],
)
def test_what_is_taken_can_be_told(opened: Opener, options: dict[str, Any]) -> None:
    assert opened(**options).create("a", "x").created


def test_a_start_takes_its_time(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    granted: list[float] = []
    ticks = _engine.Clock.ticks
    monkeypatch.setattr(_engine.Clock, "ticks", lambda clock, seconds: granted.append(seconds) or ticks(clock, seconds))
    # The component checks the start, chooses the state directory and names its tools.
    gate = opened(limits=Limits(deadline=0.5))
    starts = len(granted)
    assert set(granted) == {START}
    gate.exists("a")
    assert granted[starts:] == [1]


def test_what_a_front_end_answers_is_bounded(opened: Opener) -> None:
    gate = opened(limits=Limits(result=400))
    if "sham" not in gate.front_ends():
        pytest.skip("this component has no front end `sham`")
    gate.create("a", "x" * 1000)
    block = '#!SHAM [@three-char-SHA-256: abc]\naction = "file_read"\npath = "/w/a"\n#!END_SHAM_abc\n'
    with pytest.raises(errors.LimitError) as refused:
        gate.sham(block)
    assert (refused.value.which, refused.value.applied, refused.value.operation) == ("result", True, "sham")
    assert gate.sham("no block").output is not None
