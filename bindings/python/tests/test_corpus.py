"""Runs every case of the corpus that a disk allows: in JSON, and through the typed methods."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from conftest import REPOSITORY, component
from corpus import cases, disk, verdict
from corpus.cases import AGENT, Case
from fsgate import FsgateError, Gate, Grant, StartError, _convert, types

FILES = sorted({case.file for case in cases.every()})

#: The time limit of a case in seconds, far above the duration of any case.
PATIENCE = 60

Answered = tuple[dict[str, Any], bool]
Call = Callable[[Gate, str, str], Answered]


def in_json(gate: Gate, tool: str, arguments: str) -> Answered:
    answer = gate.answer(tool, arguments)
    return json.loads(answer.text), answer.is_error


def typed(gate: Gate, tool: str, arguments: str) -> Answered:
    """Calls the method with keyword arguments, and encodes its dataclass or exception."""
    given = json.loads(arguments)
    if "edits" in given:
        given["edits"] = [types.Edit(**edit) for edit in given["edits"]]
    if tool == "write_bytes":
        given["bytes"] = _convert.decoded(bytes, given["bytes"])
    try:
        return sparse(_convert.encoded(getattr(gate, tool)(**given))), False
    except FsgateError as error:
        return error.data, True


def sparse(outcome: dict[str, Any]) -> dict[str, Any]:
    """Removes an empty list of notes, which JSON omits."""
    return {name: value for name, value in outcome.items() if name != "notes" or value}


def skipped(case: Case, call: Call) -> str | None:
    """Returns the reason to leave a case out."""
    if case.only and case.only["volume"] == "memory":
        return case.only["reason"]
    if call is typed and case.file == AGENT:
        return "typed calls cannot make mistakes in JSON"
    return None


def problems(case: Case, call: Call, scratch: Path) -> list[str]:
    """Runs a case, and returns its failures."""
    root, state = scratch / "root", scratch / "state"
    root.mkdir(parents=True)
    disk.set_up(root, case.before)
    grants = [Grant(root / grant.directory, grant.name, grant.read_only) for grant in case.before.grants]

    def gate(policy: str | None) -> Gate:
        return Gate(grants, nothing=not grants, state_dir=state, policy=policy, component=component())

    policy, is_late = (case.policy["text"], case.policy["late"]) if case.policy else (None, False)
    try:
        opened = gate(None if is_late else policy)
        ids = []
        for earlier in case.earlier:
            found, is_error = call(opened, earlier["tool"], cases.expanded(earlier["arguments"], ids))
            if is_error:
                return [f"the earlier call of `{earlier['tool']}` was refused: {found}"]
            ids.append(found.get("undo_id", "none"))
        if is_late:
            opened.close()
            opened = gate(policy)
    except StartError as error:
        return [f"the start was refused: {error}"]
    with opened:
        case = case.expanded(ids)
        before = disk.snapshot(root)
        found, is_error = call(opened, case.tool, case.arguments)
        after = disk.snapshot(root)
    text = json.dumps(found, ensure_ascii=False)
    return verdict.of_answer(case, found, is_error, text) + verdict.of_tree(case.after, root, before, after)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("call", [in_json, typed])
def test_every_case_holds(call: Call, file: str, tmp_path: Path, told: Counter[str]) -> None:
    every = [case for case in cases.every() if case.file == file]
    failures = []
    # A call that never ends must not block the other cases.
    thread = ThreadPoolExecutor(1)
    for number, case in enumerate(every):
        if reason := skipped(case, call):
            told[f"{call.__name__}: left out: {reason}"] += 1
            continue
        told[f"{call.__name__}: cases"] += 1
        scratch = tmp_path / str(number)
        try:
            found = thread.submit(problems, case, call, scratch).result(PATIENCE)
        except Exception as error:
            found = [f"{type(error).__name__}: {error}"]
        if found:
            failures.append(f"{case.tool}, {case.name}:\n    " + "\n    ".join(found))
        shutil.rmtree(scratch, ignore_errors=True)
    assert not failures, f"{len(failures)} of {len(every)} cases fail:\n  " + "\n  ".join(failures)


@pytest.mark.parametrize("call", [in_json, typed])
def test_the_page_of_hosts_says_what_is_left_out(call: Call) -> None:
    left_out: dict[str, list[str]] = {}
    for case in cases.every():
        if reason := skipped(case, call):
            left_out.setdefault(reason, []).append(f"{case.file}: {case.tool} {case.name}")
    report = REPOSITORY / f"tests/reports/python-{'typed' if call is typed else 'json'}.json"
    told = {reason: sorted(names) for reason, names in sorted(left_out.items())}
    text = json.dumps(told, indent=2, ensure_ascii=False) + "\n"
    if "FSGATE_UPDATE" in os.environ:
        report.write_text(text)
    assert report.read_text() == text, "run this test with FSGATE_UPDATE=1, then `make reference`"
