"""The gate: directories in, calls through, answers out."""

import json
import os
import re
import secrets
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from . import _convert, _policy, _private, _stops
from ._error import FORKED, FsgateError, StartError
from ._methods import Methods
from ._places import STATE, StrPath, base
from ._policy import Policy
from ._sandbox import Interrupted, Preopen, Sandbox, Trapped
from .errors import BY_CODE
from .grants import START, Grant, Verdict, checked
from .limits import Durability, HistoryLimits, Limits

T = TypeVar("T")

#: What the component's variables are called here.
SAID = {
    "FSGATE_POLICY": "policy",
    "FSGATE_DURABILITY": "durability",
    "FSGATE_DEADLINE_MILLIS": "limits.deadline",
    "FSGATE_HISTORY_BYTES": "history.bytes",
    "FSGATE_HISTORY_ENTRIES": "history.entries",
    "FSGATE_HISTORY_DAYS": "history.days",
}


@dataclass(frozen=True)
class Tool:
    """One operation as a model is told about it."""

    name: str
    description: str
    input_schema: dict[str, Any]
    outcome_schema: dict[str, Any]
    #: How it behaves: `read_only`, `destructive`, `idempotent`.
    annotations: dict[str, bool]


@dataclass(frozen=True)
class Answer:
    """What a call has come to, in JSON."""

    text: str
    #: The text is an error and no outcome.
    is_error: bool


class Gate(Methods):
    """Opens the granted directories, hands them to the component and calls its tools. The component has nothing else: what was
    not granted has no name inside.

    Calls block, and may come from any thread: they are made one after the other, and Python's other threads go on meanwhile.
    """

    def __init__(
        self,
        dirs: Iterable[StrPath | Grant] = (),
        *,
        read_only: Iterable[StrPath] = (),
        nothing: bool = False,
        state_dir: StrPath | None = None,
        durability: Durability = "process",
        history: HistoryLimits | None = None,
        policy: Policy | None = None,
        limits: Limits | None = None,
        allow_wide_grant: bool = False,
        component: StrPath | None = None,
    ) -> None:
        """Checks the grants, opens the directories and loads the component. Raises `StartError` if something is wrong with them.

        Args:
            dirs: Directories granted for reading and writing, under their own paths; a `Grant` says otherwise. The first one is
                where relative paths start.
            read_only: Directories granted for reading only.
            nothing: Allows a gate without any directory: it can only describe its tools.
            state_dir: Where old contents are kept, to undo changes and to put right what a crash has cut off. By default
                `fsgate/python` in the user's state directory. Gates that share one make their changes one after the other.
            durability: What a change survives.
            history: How much is kept.
            policy: What the tools must not touch: a policy, several that all hold, or their JSON. Absolute paths in it are names
                inside. Without it the profile `default` holds.
            limits: What each call may use.
            allow_wide_grant: Allows to grant `/`, a home directory, a directory around yours, or a directory of the system.
            component: A file with another component of the same world.
        """
        if isinstance(dirs, str) or isinstance(read_only, str):
            raise TypeError("`dirs` and `read_only` are lists of directories")
        asked = [dir if isinstance(dir, Grant) else Grant(dir) for dir in dirs]
        asked += [Grant(dir, read_only=True) for dir in read_only]
        self.limits = limits or Limits()
        self._lock = threading.Lock()
        self._tools: list[Tool] = []
        named = Path(state_dir).absolute() if state_dir is not None else None
        verdict = checked(asked, named, allow_wide_grant, nothing, component)
        preopens = [Preopen(grant.host, grant.name, grant.read_only) for grant in verdict.grants]
        if state := state_directory(verdict, named, durability):
            preopens.append(Preopen(state, "/.fsgate", read_only=False))
        said = _policy.told(policy, verdict.rules)
        variables = environment(durability, history or HistoryLimits(), self.limits, said, verdict)
        self._sandbox = Sandbox(preopens, variables, self.limits, component)
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Gives the directories back. There are no calls after it."""
        if self._sandbox.is_forked:
            # Whoever had the lock is not in this process.
            self._sandbox.close()
            return
        with self._lock:
            self._sandbox.close()

    def __enter__(self) -> "Gate":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def tools(self) -> list[Tool]:
        """Returns every operation, as models are told about it."""
        return list(self._tools)

    def front_ends(self) -> list[str]:
        """Returns the names of the front ends that this component has: the languages of other systems."""
        return [name.replace("-", "_") for name in self._sandbox.functions("front-ends")]

    def call(self, tool: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
        """Calls an operation by its name, with arguments as JSON has them. Returns its outcome; raises a `FsgateError`."""
        answer = self.answer(tool, arguments)
        if answer.is_error:
            raise raised(json.loads(answer.text))
        outcome: dict[str, Any] = json.loads(answer.text)
        return outcome

    def answer(self, tool: str, arguments: Mapping[str, Any] | str) -> Answer:
        """The same for loops that hand on what was answered, errors too: raises nothing, and leaves the JSON as it is."""
        try:
            text = arguments if isinstance(arguments, str) else json.dumps(_convert.encoded(arguments))
            (tool + text).encode()
        except (UnicodeEncodeError, RecursionError) as error:
            return failed(_stops.malformed(tool, error))
        try:
            found = self._called("agent", "call", {"tool": tool, "arguments": text})
        except Interrupted:
            return failed(_stops.deadline(tool, self._changes(tool, text), 2 * self.limits.deadline))
        except Trapped as trapped:
            return failed(_stops.trap(tool, self._changes(tool, text), str(trapped), self.limits.memory))
        is_error = found["case"] == "err"
        answer = Answer(found["payload"]["error" if is_error else "outcome"], is_error)
        size = len(answer.text.encode())
        if size <= self.limits.result:
            return answer
        changed = not is_error and self._changes(tool, text)
        return failed(_stops.result(tool, changed, size, self.limits.result))

    def front_end(self, name: str, **arguments: object) -> dict[str, Any]:
        """Calls a front end by its name. What is wrong with its text stands in its answer. An outcome that is one of
        several cases is a mapping with its `case` and its `payload`.
        """
        function = name.replace("_", "-")
        if function not in self._sandbox.functions("front-ends"):
            raise raised(_stops.unsupported(name))
        try:
            outcome: dict[str, Any] = self._called("front-ends", function, arguments)
        except UnicodeEncodeError as error:
            raise raised(_stops.malformed(name, error)) from error
        except Interrupted as interrupted:
            raise raised(_stops.deadline(name, True, 2 * self.limits.deadline)) from interrupted
        except Trapped as trapped:
            raise raised(_stops.trap(name, True, str(trapped), self.limits.memory)) from trapped
        size = len(json.dumps(_convert.encoded(outcome), ensure_ascii=False).encode())
        if size > self.limits.result:
            raise raised(_stops.outcome(name, size, self.limits.result))
        return outcome

    def _called(self, interface: str, function: str, arguments: Mapping[str, Any]) -> Any:
        """One call, when its turn has come."""
        self._refuse_fork()
        with self._lock:
            return self._sandbox.call(interface, function, arguments)

    def _refuse_fork(self) -> None:
        """Before anything is waited for: a lock that was held when the process was forked is never given back."""
        if self._sandbox.is_forked:
            raise RuntimeError(FORKED)

    def _run(self, tool: str, outcome: type[T], arguments: dict[str, object]) -> T:
        decoded: T = _convert.decoded(outcome, self.call(tool, arguments))
        return decoded

    def _front_end(self, name: str, outcome: type[T], arguments: dict[str, object]) -> T:
        decoded: T = _convert.decoded(outcome, self.front_end(name, **arguments))
        return decoded

    def _start(self) -> None:
        """Nobody can tell the component at its start: one that cannot read its policy refuses every call."""
        trial = {"tool": "exists", "arguments": '{"path": "."}'}
        try:
            tried = self._sandbox.call("agent", "call", trial, START)
            # Now, so that nobody waits for them later, while another call runs.
            self._tools = [tool(record) for record in self._sandbox.call("agent", "tools", seconds=START)]
        except (Interrupted, Trapped, LookupError) as error:
            raise StartError(f"cannot start the component: {error}") from error
        refused = json.loads(tried["payload"]["error"]) if tried["case"] == "err" else {}
        if refused.get("code") == "unsupported":
            raise not_taken(FsgateError(refused))

    def _changes(self, tool: str, arguments: str) -> bool:
        """Whether a call that does not come to its end may have changed something."""
        name = tool.replace("-", "_")
        looks = any(known.name == name and known.annotations["read_only"] for known in self._tools)
        if looks or "dry_run" not in arguments:
            return not looks
        try:
            return json.loads(arguments).get("dry_run") is not True
        except (ValueError, AttributeError):
            # Nothing is done with such arguments.
            return False


def tool(record: dict[str, Any]) -> Tool:
    """An operation as the component tells of it."""
    return Tool(**record | {name: json.loads(record[name]) for name in ("input_schema", "outcome_schema")})


def raised(error: Mapping[str, Any]) -> FsgateError:
    """The exception for an error."""
    return BY_CODE.get(error.get("code", ""), FsgateError)(error)


def not_taken(error: FsgateError) -> StartError:
    """The refusal of a start for what the component itself refuses, which knows its variables only."""
    named = re.search(r"`(FSGATE_\w+)`", error.message)
    option = SAID.get(named[1]) if named else None
    return StartError(f"the option `{option}` cannot be used: {error}" if option else f"cannot start the component: {error}")


def failed(error: Mapping[str, Any]) -> Answer:
    """The answer for an error."""
    return Answer(json.dumps(error), is_error=True)


def state_directory(verdict: Verdict, named: Path | None, durability: Durability) -> Path | None:
    """Where changes are written down; none if nothing is, or nothing can be changed."""
    if durability == "none" or all(grant.read_only for grant in verdict.grants):
        return None
    home = base(*STATE)
    place = named or (_private.place(home) if home else None)
    without = 'name another directory with `state_dir`, or do without undo and recovery with `durability="none"`'
    if place is None:
        raise StartError(f"neither `XDG_STATE_HOME` nor `HOME` says where to keep state; {without}")
    try:
        os.close(_private.opened(place))
    except OSError as error:
        raise StartError(f"cannot keep state in `{place}`: {error.strerror}; {without}") from error
    return place


def environment(
    durability: Durability, history: HistoryLimits, limits: Limits, policy: str | None, verdict: Verdict
) -> dict[str, str]:
    """Everything that the component is told."""
    told = {
        "FSGATE_DURABILITY": durability,
        # Instances that follow one another are one session.
        "FSGATE_SESSION": secrets.token_hex(16),
        "FSGATE_DEADLINE_MILLIS": str(max(1, int(limits.deadline * 1000))),
        "FSGATE_HISTORY_BYTES": str(history.bytes),
        "FSGATE_HISTORY_ENTRIES": str(history.entries),
        "FSGATE_HISTORY_DAYS": str(history.days),
        # Rules are about what is there, whatever names it has inside.
        "FSGATE_POLICY_PATHS": json.dumps(verdict.paths),
    }
    if policy is not None:
        told["FSGATE_POLICY"] = policy
    return told
