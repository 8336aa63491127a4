"""Compiled code that is kept is believed only if nobody else could have written it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fsgate import _compiled, _private
from fsgate._compiled import DIGEST, digest, keep, kept

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
    assert _private.is_reached_safely(above / "fsgate/python") == is_safe
    (tmp_path / "link").symlink_to("above")
    assert _private.is_reached_safely(tmp_path / "link/fsgate") == is_safe


def test_a_component_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wasmtime import Engine

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
