"""The state root: histories of gates and of the program."""

import fcntl
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from conftest import REPOSITORY, component
from fsgate import Gate, Grant, StartError, _state

PROGRAM = Path(os.environ.get("FSGATE", REPOSITORY / "target/debug/fsgate"))


def gate(directory: Path, root: Path, **options: Any) -> Gate:
    directory.mkdir(parents=True, exist_ok=True)
    return Gate([Grant(directory, "/w")], state_dir=root, component=component(), **options)


def entries(root: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in (root / "roots").iterdir()]


def test_a_directory_and_its_parts_have_one_history(tmp_path: Path) -> None:
    for number, order in enumerate((["r", "r/a"], ["r/a", "r"], ["r/a", "r", "r/a/b"])):
        root = tmp_path / f"state{number}"
        for name in order:
            with gate(tmp_path / f"w{number}" / name, root) as opened:
                opened.create(f"{name.replace('/', '-')}.txt", "x")
        assert len({entry["state"] for entry in entries(root)}) == 1, order
        assert len(list((root / "states").iterdir())) == 1


def test_states_of_parts_are_seen_by_the_whole(tmp_path: Path) -> None:
    root = tmp_path / "state"
    for name in ("r/a", "r/b"):
        (tmp_path / name).mkdir(parents=True)
        # A record is found by its path as well, so the names are those of the machine.
        with Gate([tmp_path / name], state_dir=root, component=component()) as opened:
            opened.create("new.txt", "x")
    with Gate([tmp_path / "r"], state_dir=root, component=component()) as whole:
        assert len(whole.log(any_session=True).entries) == 2
        assert whole.create("new.txt", "x").undo_id
        assert len(whole.log(any_session=True).entries) == 3
    assert {len(entry.get("retired", [])) for entry in entries(root)} == {0, 1}


def test_the_files_are_their_owners_alone(tmp_path: Path) -> None:
    root = tmp_path / "deep/state"
    for durability in ("process", "power"):
        gate(tmp_path / "w" / durability, root, durability=durability).close()
    found = [path for path in root.rglob("*") if path.name != "log"]
    assert {oct(path.stat().st_mode & 0o777) for path in found} == {"0o700", "0o600"}
    assert not [path for path in found if path.name.startswith(_state.NEW)]
    for entry in entries(root):
        found_born = entry["born"] is not None
        assert found_born == (_state._born(Path(entry["path"])) is not None)


def test_gates_that_start_at_once_agree(tmp_path: Path) -> None:
    root, failed = tmp_path / "state", []
    (tmp_path / "w").mkdir()

    def start() -> None:
        try:
            gate(tmp_path / "w", root).close()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(entries(root)) == len(list((root / "states").iterdir())) == 1


def test_a_registration_that_never_ends_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_state, "PATIENCE", 0.1)
    root = tmp_path / "state"
    gate(tmp_path / "known", root).close()
    with open(root / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # A known directory needs no turn.
        gate(tmp_path / "known", root).close()
        with pytest.raises(StartError, match=r"another fsgate has held .*/lock"):
            gate(tmp_path / "new", root)
    gate(tmp_path / "new", root).close()


def test_an_entry_that_is_damaged_or_open_to_others_is_written_anew(tmp_path: Path) -> None:
    root = tmp_path / "state"
    gate(tmp_path / "w", root).close()
    [entry] = (root / "roots").iterdir()
    first = entries(root)[0]["state"]
    for damage in ("text", "rights", "state"):
        if damage == "text":
            entry.write_text("{")
        elif damage == "rights":
            entry.chmod(0o666)
        else:
            shutil.rmtree(root / "states")
        with gate(tmp_path / "w", root) as opened:
            opened.create(damage, "")
            assert opened.undo().paths == [f"/w/{damage}"]
        assert entries(root)[0]["state"] != first
        assert entry.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not PROGRAM.exists(), reason=f"there is no {PROGRAM}")
def test_a_person_at_a_shell_undoes_what_a_gate_did(tmp_path: Path) -> None:
    root, directory = tmp_path / "state", tmp_path / "w"

    def program(*words: str) -> str:
        told = ["--dir", f"{directory}::/w", "--state-dir", str(root)]
        # The program refuses variables of its own that it does not know.
        known = {name: value for name, value in os.environ.items() if not name.startswith("FSGATE")}
        done = subprocess.run([PROGRAM, *words, *told], env=known, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    with gate(directory, root) as opened:
        opened.create("a.txt", "one")
        opened.write("a.txt", "two")
        program("undo", "--any-session")
        assert (directory / "a.txt").read_text() == "one"
        program("write", "b.txt", "--content", "mine")
        assert [entry.tool for entry in opened.log(any_session=True).entries][:2] == ["write", "undo"]
        opened.undo(any_session=True)
        assert not (directory / "b.txt").exists()
    shutil.rmtree(root)
    program("write", "c.txt", "--content", "first")
    with gate(directory, root) as opened:
        assert opened.undo(any_session=True).paths == ["/w/c.txt"]
    assert len(entries(root)) == 1
