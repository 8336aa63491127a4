"""Runs every case of a front end on a disk: through `front_end`, and by its own method.

The core's tests run the same cases in memory.
"""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import component
from corpus import disk, front_ends, verdict
from corpus.front_ends import Case, compared
from fsgate import Gate, Grant, _convert, types

#: The corpus has more cases than this.
LEAST = 300

#: The time of the last change of every item in a tree before, in seconds: the first time of the
#: core's memory. One case shows it.
CHANGED = 1

Outcome = dict[str, Any]
Call = Callable[[Gate, str, Outcome], Outcome]
Ask = Callable[..., Outcome]


def by_name(gate: Gate, name: str, arguments: Outcome) -> Outcome:
    outcome: Outcome = _convert.encoded(gate.front_end(name, **arguments))
    return outcome


def by_method(gate: Gate, name: str, arguments: Outcome) -> Outcome:
    """Calls the method with dataclasses. A variant has a field for each of its cases."""
    if "variables" in arguments:
        arguments["variables"] = [types.WorkflowVariable(**variable) for variable in arguments["variables"]]
    outcome: Outcome = _convert.encoded(getattr(gate, name)(**arguments))
    if "command_outcome" not in outcome:
        return outcome
    kind, payload = outcome.values()
    return {"case": kind, "payload": payload}


def command(case: Case, ask: Ask) -> list[str]:
    outcome = ask(text=case.blocks["text"], **json.loads(case.blocks.get("answer", "{}")))
    kind, found = outcome["case"].replace("_", "-"), outcome["payload"]
    if kind not in case.blocks:
        return [f"it came to `{kind}`: {found}"]
    expected = case.blocks[kind]
    return compared(case, kind, json.loads(expected) if kind == "needs-options" else expected, found)


def file_action(case: Case, ask: Ask) -> list[str]:
    output = json.loads(ask(text=case.blocks["text"])["output"])
    return compared(case, "output", json.loads(case.blocks["output"]), output)


def plugin(case: Case, ask: Ask) -> list[str]:
    outcome = ask(text=case.blocks["text"], now=case.blocks.get("now"))
    output = json.loads(outcome["output"])
    for answer in output if isinstance(output, list) else [output]:
        for entry in answer.get("output", {}).get("entries", []):
            # The core's memory has no times of directories; a disk has.
            for name in ("createdAt", "updatedAt") if entry["type"] == "directory" else ():
                if front_ends.is_time(entry.get(name)):
                    del entry[name]
    problems = compared(case, "output", json.loads(case.blocks["output"]), output)
    return problems + compared(case, "events", json.loads(case.blocks.get("events", "[]")), outcome["events"])


def sham(case: Case, ask: Ask) -> list[str]:
    output = json.loads(ask(text=case.blocks["sh sham"])["output"])
    results = output["results"]
    problems = compared(case, "parseErrors", [], output["parseErrors"])
    problems += compared(case, "the number of results", output["totalBlocks"], len(results))
    expected = json.loads(case.blocks["json"])
    # Cases name no other members of a result.
    found = {key: results[-1][key] for key in ("success", "error", "data") if key in results[-1]}
    for entry in found["data"] if isinstance(found.get("data"), list) else []:
        # The size and time of a directory depend on the disk.
        if isinstance(entry, dict) and entry.get("type") == "directory":
            entry |= {"size": 0, "modified": None}
    # The sentences at `$any` are not the system's own.
    start, *rest = expected.get("error", "").split("$any")
    if rest and found.get("error", "").startswith(start):
        found["error"] = expected["error"]
    return problems + compared(case, "the last result", expected, found)


def workflow(case: Case, ask: Ask) -> list[str]:
    variables = json.loads(case.blocks.get("variables", "{}"))
    given = [{"name": name, "value": value} for name, value in variables.items()]
    outcome = ask(text=case.blocks["workflow"], variables=given, render=True)
    last = json.loads(outcome["output"])["results"][-1]
    problems = [] if isinstance(outcome.get("rendered"), str) else ["the text was not given with results in it"]
    if last["success"] == (last["result"].get("success") is False):
        problems.append(f"it says that it was done, and that it was not: {last}")
    # Cases expect a host that copies permissions.
    if last["result"].get("notes") == [verdict.LOST]:
        del last["result"]["notes"]
    return problems + compared(case, "result", json.loads(case.blocks["json"]), last["result"])


#: The call of each front end, which returns the differences of the answer.
SPOKEN: dict[str, Callable[[Case, Ask], list[str]]] = {
    "command": command,
    "file-action": file_action,
    "plugin": plugin,
    "sham": sham,
    "workflow": workflow,
}


def problems(case: Case, call: Call, scratch: Path) -> list[str]:
    """Runs a case, and returns its failures."""
    root, state = scratch / "root", scratch / "state"
    root.mkdir(parents=True)
    disk.set_up(root, case.before)
    for path in case.before.items:
        os.utime(root / path, (CHANGED, CHANGED), follow_symlinks=False)
    grants = [Grant(root / grant.directory, grant.name, grant.read_only) for grant in case.before.grants]
    with Gate(grants, state_dir=state, policy=case.policy, component=component()) as gate:
        name = case.front_end.replace("-", "_")
        found = SPOKEN[case.front_end](case, lambda **arguments: call(gate, name, arguments))
    if case.after is None:
        return found
    # These cases do not name moves, so identities are not compared.
    return found + verdict.of_tree(case.after, root, {}, disk.snapshot(root))


@pytest.mark.parametrize("call", [by_name, by_method])
def test_every_case_of_a_front_end_holds(call: Call, tmp_path: Path, told: Counter[str]) -> None:
    with Gate(nothing=True, component=component()) as gate:
        known = [name.replace("_", "-") for name in gate.front_ends()]
    failures, ran = [], 0
    for case in front_ends.every():
        if case.front_end not in known:
            told[f"{call.__name__}: left out: this component has no front end `{case.front_end}`"] += 1
            continue
        ran += 1
        told[f"{call.__name__}: cases of `{case.front_end}`"] += 1
        scratch = tmp_path / str(ran)
        try:
            found = problems(case, call, scratch)
        except Exception as error:
            found = [f"{type(error).__name__}: {error}"]
        if found:
            failures.append(f"{case.front_end}, {case.group}/{case.name}:\n    " + "\n    ".join(found))
        shutil.rmtree(scratch, ignore_errors=True)
    assert not failures, f"{len(failures)} of {ran} cases fail:\n  " + "\n  ".join(failures)
    assert ran > LEAST or component(), "the package's own component has every front end"
