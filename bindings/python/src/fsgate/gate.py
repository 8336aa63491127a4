"""The gate: directories in, calls through, answers out."""

import json
import re
import secrets
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeAlias, TypeVar

from . import _convert, _policy, _private, _stops
from ._error import FORKED, FsgateError, StartError
from ._methods import Methods
from ._places import FSGATE, STATE, StrPath, base
from ._policy import Policy
from ._sandbox import Interrupted, Preopen, Sandbox, Trapped
from ._state import state_directories
from .errors import BY_CODE
from .grants import START, Grant, Verdict, checked
from .limits import Durability, HistoryLimits, Limits

T = TypeVar("T")

#: The form of an answer: text for a model, which is complete, or data for a program, in JSON.
Form: TypeAlias = Literal["text", "data"]

#: The names of the component's variables here.
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
    """An operation, described for a model."""

    name: str
    description: str
    input_schema: dict[str, Any]
    outcome_schema: dict[str, Any]
    #: The keys are `read_only`, `destructive` and `idempotent`.
    annotations: dict[str, bool]


@dataclass(frozen=True)
class Answer:
    """The result of a call, in the form that the caller asked for."""

    text: str
    #: The text is an error, no outcome.
    is_error: bool


class Gate(Methods):
    """Opens the granted directories, hands them to the component and calls its tools. The component
    has nothing else: a path outside of the grants has no name inside.

    Calls block. Several threads can make them: they run one after the other, while Python's other
    threads go on.
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
        """Checks the grants, opens the directories and loads the component. Raises `StartError` for
        a problem with them.

        Args:
            dirs: Directories for reading and writing, under their own paths or as a `Grant`.
                Relative paths start at the first one.
            read_only: Directories for reading only.
            nothing: Allows a gate without any directory: it can only describe its tools.
            state_dir: The directory of old contents, for undo and recovery after a crash. By
                default `fsgate` in the user's state directory, as for the program `fsgate`. Gates
                and programs that share one make their changes one after the other, and see each
                other's history.
            durability: The failures that a change survives.
            history: The limits of the history.
            policy: Restrictions of the tools: a policy, several that all hold, or their JSON.
                Absolute paths in it are names inside. The default is the profile `default`.
            limits: The limits of each call.
            allow_wide_grant: Allows to grant `/`, a home directory, a directory around yours, or a
                directory of the system.
            component: A file with another component of the same world.
        """
        if isinstance(dirs, str) or isinstance(read_only, str):
            raise TypeError("`dirs` and `read_only` are lists of directories")
        asked = [dir if isinstance(dir, Grant) else Grant(dir) for dir in dirs]
        asked += [Grant(dir, read_only=True) for dir in read_only]
        self.limits = limits or Limits()
        self._lock = threading.Lock()
        self._tools: list[Tool] = []
        self._lean: list[Tool] = []
        named = Path(state_dir).absolute() if state_dir is not None else None
        verdict = checked(asked, named, allow_wide_grant, nothing, component)
        preopens = [Preopen(grant.host, grant.name, grant.read_only) for grant in verdict.grants]
        preopens += states(verdict, named, durability, component)
        said = _policy.told(policy, verdict.rules)
        variables = environment(durability, history or HistoryLimits(), self.limits, said, verdict)
        self._sandbox = Sandbox(preopens, variables, self.limits, component)
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes the directories, and ends the gate."""
        if self._sandbox.is_forked:
            # The holder of the lock is not in this process.
            self._sandbox.close()
            return
        with self._lock:
            self._sandbox.close()

    def __enter__(self) -> "Gate":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def tools(self) -> list[Tool]:
        """Returns every operation, described for models."""
        return list(self._tools)

    def lean_tools(self) -> list[Tool]:
        """Returns the lean set: ten tools for models, each a choice of operations, whose list takes a
        seventh of the tokens. `lean_answer` calls one. A component without the set has none.
        """
        return list(self._lean)

    def front_ends(self) -> list[str]:
        """Returns the names of the component's front ends: the languages of other systems."""
        return [name.replace("-", "_") for name in self._sandbox.functions("front-ends")]

    def call(self, tool: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
        """Calls an operation by name, with arguments as in JSON. Returns its outcome; raises a
        `FsgateError`.
        """
        answer = self.answer(tool, arguments)
        if answer.is_error:
            raise raised(json.loads(answer.text))
        outcome: dict[str, Any] = json.loads(answer.text)
        return outcome

    def answer(self, tool: str, arguments: Mapping[str, Any] | str, form: Form = "data") -> Answer:
        """The same for loops that pass answers on, errors too: raises nothing, and leaves the JSON
        unchanged. With `form="text"` the answer is the text that a model reads.
        """
        answer = self._answer(tool, arguments)
        return self._shown(tool, arguments, answer, None) if form == "text" else answer

    def _answer(self, tool: str, arguments: Mapping[str, Any] | str) -> Answer:
        """The answer in JSON."""
        try:
            text = _text(tool, arguments)
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

    def lean_answer(self, tool: str, arguments: Mapping[str, Any] | str, form: Form = "text") -> Answer:
        """Calls a tool of the lean set: the operation that the call means is called, and its answer
        names what the set names. The answer is text for a model, or JSON with `form="data"`.
        """
        asked = {"tool": tool, "arguments": "{}"}
        try:
            asked["arguments"] = _text(tool, arguments)
            lowered = self._called("lean-agent", "lower", asked)
        except (UnicodeEncodeError, RecursionError) as error:
            refused = failed(_stops.malformed(tool, error))
        except Interrupted:
            refused = failed(_stops.deadline(tool, False, 2 * self.limits.deadline))
        except Trapped as trapped:
            refused = failed(_stops.trap(tool, False, str(trapped), self.limits.memory))
        else:
            payload = lowered["payload"]
            if lowered["case"] == "ok":
                return self._lean_called(tool, payload, form)
            refused = Answer(payload["error"], True)
        # The error has the words of the set already.
        return self._shown(tool, asked["arguments"], refused, None) if form == "text" else refused

    def _lean_called(self, tool: str, meant: dict[str, str], form: Form) -> Answer:
        """The answer of the operation that a call of the lean set means."""
        answer = self._answer(meant["tool"], meant["arguments"])
        if form == "text":
            return self._shown(meant["tool"], meant["arguments"], answer, tool)
        try:
            return Answer(self._called("lean-agent", "reword", {"tool": tool, "answer": answer.text}), answer.is_error)
        except (Interrupted, Trapped):
            return answer

    def _shown(self, tool: str, arguments: Mapping[str, Any] | str, answer: Answer, lean_tool: str | None) -> Answer:
        """The answer as text for a model."""
        try:
            told = _text(tool, arguments)
        except (UnicodeEncodeError, RecursionError):
            # The component has not seen such arguments, and its text needs none of an error.
            told = "{}"
        shown = {"tool": tool, "arguments": told, "answer": answer.text, "is_error": answer.is_error, "lean_tool": lean_tool}
        try:
            return Answer(self._called("agent", "show", shown), answer.is_error)
        except (Interrupted, Trapped):
            # The JSON is complete as well.
            return answer

    def front_end(self, name: str, **arguments: object) -> dict[str, Any]:
        """Calls a front end by name. Its answer reports errors in its text. An outcome with several
        cases is a mapping with its `case` and its `payload`.
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
        """One call in its turn."""
        self._refuse_fork()
        with self._lock:
            return self._sandbox.call(interface, function, arguments)

    def _refuse_fork(self) -> None:
        """Runs before any wait: a lock that was held during the fork is never released."""
        if self._sandbox.is_forked:
            raise RuntimeError(FORKED)

    def _run(self, tool: str, outcome: type[T], arguments: dict[str, object]) -> T:
        decoded: T = _convert.decoded(outcome, self.call(tool, arguments))
        return decoded

    def _front_end(self, name: str, outcome: type[T], arguments: dict[str, object]) -> T:
        decoded: T = _convert.decoded(outcome, self.front_end(name, **arguments))
        return decoded

    def _start(self) -> None:
        """Fails if the component refuses every call, for example under a policy that it cannot
        read.
        """
        trial = {"tool": "exists", "arguments": '{"path": "."}'}
        try:
            tried = self._sandbox.call("agent", "call", trial, START)
            # Loaded now, so that they do not wait for a running call later.
            self._tools = [tool(record) for record in self._sandbox.call("agent", "tools", seconds=START)]
            if self._sandbox.functions("lean-agent"):
                self._lean = [tool(record) for record in self._sandbox.call("lean-agent", "tools", seconds=START)]
        except (Interrupted, Trapped, LookupError) as error:
            raise StartError(f"cannot start the component: {error}") from error
        refused = json.loads(tried["payload"]["error"]) if tried["case"] == "err" else {}
        if refused.get("code") == "unsupported":
            raise not_taken(FsgateError(refused))

    def _changes(self, tool: str, arguments: str) -> bool:
        """Whether an interrupted call may have changed something."""
        name = tool.replace("-", "_")
        looks = any(known.name == name and known.annotations["read_only"] for known in self._tools)
        if looks or "dry_run" not in arguments:
            return not looks
        try:
            return json.loads(arguments).get("dry_run") is not True
        except (ValueError, AttributeError):
            # The component does nothing with such arguments.
            return False


def _text(tool: str, arguments: Mapping[str, Any] | str) -> str:
    """The arguments in JSON, if they and the name can be sent."""
    text = arguments if isinstance(arguments, str) else json.dumps(_convert.encoded(arguments))
    (tool + text).encode()
    return text


def tool(record: dict[str, Any]) -> Tool:
    """An operation from the component's record."""
    return Tool(**record | {name: json.loads(record[name]) for name in ("input_schema", "outcome_schema")})


def raised(error: Mapping[str, Any]) -> FsgateError:
    """The exception for an error."""
    return BY_CODE.get(error.get("code", ""), FsgateError)(error)


def not_taken(error: FsgateError) -> StartError:
    """The refusal of a start by the component, which knows its variables only."""
    named = re.search(r"`(FSGATE_\w+)`", error.message)
    option = SAID.get(named[1]) if named else None
    return StartError(f"the option `{option}` cannot be used: {error}" if option else f"cannot start the component: {error}")


def failed(error: Mapping[str, Any]) -> Answer:
    """The answer for an error."""
    return Answer(json.dumps(error), is_error=True)


def states(verdict: Verdict, named: Path | None, durability: Durability, component: StrPath | None) -> list[Preopen]:
    """The directories of the history, if there is one and anything can be changed."""
    if durability == "none" or all(grant.read_only for grant in verdict.grants):
        return []
    home = base(*STATE)
    place = named or (home / FSGATE if home else None)
    without = 'name another directory with `state_dir`, or do without undo and recovery with `durability="none"`'
    if place is None:
        raise StartError(f"neither `XDG_STATE_HOME` nor `HOME` says where to keep state; {without}")
    try:
        if named is None:
            _private.shut(place)
        return state_directories(place, verdict.grants, durability == "power", component)
    except OSError as error:
        raise StartError(f"cannot keep state in `{place}`: {error.strerror}; {without}") from error


def environment(
    durability: Durability, history: HistoryLimits, limits: Limits, policy: str | None, verdict: Verdict
) -> dict[str, str]:
    """All variables of the component."""
    told = {
        "FSGATE_DURABILITY": durability,
        # Successive instances are one session.
        "FSGATE_SESSION": secrets.token_hex(16),
        "FSGATE_DEADLINE_MILLIS": str(max(1, int(limits.deadline * 1000))),
        "FSGATE_HISTORY_BYTES": str(history.bytes),
        "FSGATE_HISTORY_ENTRIES": str(history.entries),
        "FSGATE_HISTORY_DAYS": str(history.days),
        # Rules are about machine paths, whatever the names inside.
        "FSGATE_POLICY_PATHS": json.dumps(verdict.paths),
    }
    if policy is not None:
        told["FSGATE_POLICY"] = policy
    return told
