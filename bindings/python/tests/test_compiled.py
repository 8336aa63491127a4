"""Compiled code that is kept is believed only if nobody else could have written it."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from wasmtime import Engine

from fsgate import _compiled, _private
from fsgate._kept import DIGEST, DRAFT, MOST, digest, keep, kept

CODE = b"native code"


def swapped(file: Path) -> None:
    file.rename(file.with_name("elsewhere"))
    file.symlink_to("elsewhere")


@pytest.mark.parametrize(
    ("spoil", "is_believed"),
    [
        (lambda file: None, True),
        (lambda file: file.parent.chmod(0o755), True),
        (lambda file: file.chmod(0o620), False),
        (lambda file: file.chmod(0o602), False),
        (lambda file: file.parent.chmod(0o770), False),
        (lambda file: file.parent.chmod(0o707), False),
        (lambda file: file.write_bytes(file.read_bytes()[:-1]), False),
        (lambda file: file.write_bytes(digest(CODE) + b"other code!"), False),
        (lambda file: file.write_bytes(b""), False),
        (lambda file: file.unlink(), False),
        (swapped, False),
    ],
)
def test_only_what_is_whole_and_ours_is_believed(tmp_path: Path, spoil: Callable[[Path], None], is_believed: bool) -> None:
    place = tmp_path / "new/deep"
    keep(place, "key", CODE)
    file = place / "key.cwasm"
    assert (file.stat().st_mode & 0o777, place.stat().st_mode & 0o777) == (0o600, 0o700)
    assert file.read_bytes()[:DIGEST] == digest(CODE)
    spoil(file)
    assert (kept(place, "key") == CODE) == is_believed
    assert kept(place, "another") is None


def test_what_belongs_to_somebody_else_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(tmp_path / "place", "key", CODE)
    monkeypatch.setattr("os.geteuid", lambda: 12345)
    assert kept(tmp_path / "place", "key") is None
    with pytest.raises(PermissionError):
        keep(tmp_path / "place", "other", CODE)


@pytest.mark.parametrize(
    ("mode", "is_safe"), [(0o700, True), (0o755, True), (0o770, False), (0o757, False), (0o1777, True), (0o1770, True)]
)
def test_nobody_else_can_put_another_directory_into_its_place(tmp_path: Path, mode: int, is_safe: bool) -> None:
    above = tmp_path / "above"
    above.mkdir()
    above.chmod(mode)
    assert (_private.exposure(above / "fsgate/python") is None) == is_safe
    (tmp_path / "link").symlink_to("above")
    assert (_private.exposure(tmp_path / "link/fsgate") is None) == is_safe


def test_a_component_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    file = tmp_path / "empty.wasm"
    file.write_text("(component)")
    for _ in range(2):
        # Of another engine, nothing is remembered.
        _compiled.component(Engine(), file)
    (code,) = (tmp_path / "fsgate/python").iterdir()
    assert code.suffix == ".cwasm"
    code.write_bytes(digest(b"of another machine") + b"of another machine")
    _compiled.component(Engine(), file)
    assert kept(code.parent, code.stem) != b"of another machine"


@pytest.fixture(params=[0o002, 0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    """What is taken from the rights of everything new, for a while."""
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_whatever_the_umask_a_component_is_compiled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Not even the base directory is there.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home/.cache"))
    (tmp_path / "empty.wasm").write_text("(component)")
    for _ in range(2):
        _compiled.component(Engine(), tmp_path / "empty.wasm")
    place = tmp_path / "home/.cache/fsgate/python"
    assert {above.stat().st_mode & 0o777 for above in (place, *place.parents[:3])} == {0o700}
    (code,) = place.iterdir()
    monkeypatch.setattr(_compiled, "Component", None)
    with pytest.raises(AttributeError):
        # Nobody compiles: what is there is taken.
        _compiled.component(Engine(), tmp_path / "empty.wasm")
    assert kept(place, code.stem) and caplog.messages == []


@pytest.mark.parametrize(
    ("open_to_others", "is_kept", "mode"),
    [
        # As an earlier version has left it.
        ("fsgate", True, 0o755),
        # Not ours to shut.
        (".", False, 0o775),
        ("fsgate/python", False, 0o775),
    ],
)
def test_what_is_open_to_others_is_mended_or_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    open_to_others: str,
    is_kept: bool,
    mode: int,
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    (cache / "fsgate/python").mkdir(parents=True, mode=0o700)
    for directory in (cache, cache / "fsgate"):
        directory.chmod(0o700)
    (cache / open_to_others).chmod(0o775)
    (tmp_path / "empty.wasm").write_text("(component)")
    _compiled.component(Engine(), tmp_path / "empty.wasm")
    assert (cache / open_to_others).stat().st_mode & 0o777 == mode
    assert len(list((cache / "fsgate/python").iterdir())) == is_kept
    assert [name for name, _, _ in caplog.record_tuples] == ([] if is_kept else ["fsgate"])
    assert is_kept or "others can write to" in caplog.text


def test_a_link_in_its_place_is_not_mended(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o775)
    (tmp_path / "fsgate").symlink_to("shared")
    assert _private.place(tmp_path) == tmp_path / "fsgate/python"
    assert (tmp_path / "shared").stat().st_mode & 0o777 == 0o775


HOUR, DAY = DRAFT, 24 * DRAFT


@pytest.mark.parametrize(
    ("ages", "left"),
    [
        # What is cut off goes when nobody can be writing it any more.
        ({f"one.{'0' * 16}": 2 * HOUR, f"two.{'f' * 16}": HOUR / 2}, {f"two.{'f' * 16}"}),
        # A few components stay, those that were used last.
        ({f"{number}.cwasm": number * DAY for number in range(9)}, {f"{number}.cwasm" for number in range(MOST - 1)}),
        ({"a.cwasm": 9 * DAY, "b.cwasm": -DAY}, {"a.cwasm", "b.cwasm"}),
        # Nothing else is ours.
        ({"notes": 99 * DAY, "a.txt": 99 * DAY, "a.b.cwasm": 99 * DAY}, {"notes", "a.txt", "a.b.cwasm"}),
    ],
)
def test_what_nobody_uses_goes(tmp_path: Path, ages: dict[str, float], left: set[str]) -> None:
    place = tmp_path / "place"
    place.mkdir(mode=0o700)
    for name, age in ages.items():
        (place / name).write_text("")
        os.utime(place / name, (time.time() - age,) * 2)
    (place / "directory.cwasm").mkdir()
    keep(place, "present", CODE)
    assert {file.name for file in place.iterdir()} == left | {"present.cwasm", "directory.cwasm"}


def test_what_is_used_stays(tmp_path: Path) -> None:
    for number in range(MOST):
        keep(tmp_path, f"{number}", CODE)
        os.utime(tmp_path / f"{number}.cwasm", (number, number))
    assert kept(tmp_path, "0") == CODE
    keep(tmp_path, "new", CODE)
    assert {file.stem for file in tmp_path.iterdir()} == {"new", "0"} | {str(number) for number in range(2, MOST)}


def test_only_a_few_components_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    engine = Engine()
    made = [_compiled.load(engine, b"(component (type (tuple%s)))" % (b" u8" * number)) for number in range(1, 9)]
    assert len(_compiled._loaded) == _compiled.LOADED
    assert made[-1] in _compiled._loaded.values() and made[0] not in _compiled._loaded.values()
    assert not any(isinstance(part, bytes) for key in _compiled._loaded for part in key)
