"""What the policy says besides: a history is no part of what tools see, also where a directory around it may be read."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ._places import below, contains, histories
from .grants import Checked, refuse, segments

Policy = Mapping[str, Any] | Sequence[Mapping[str, Any]] | str

#: What has a meaning in a pattern.
SPECIAL = frozenset("*?[]{}\\")


def told(policy: Policy | None, grants: list[Checked], state: Path | None) -> str | None:
    """A policy in JSON, with a rule that hides the histories in what is granted; none if nothing is to be said."""
    if paths := hidden(grants, state):
        own = {"profile": "open", "rules": [{"name": "own_state", "paths": paths, "effect": "hidden"}]}
        # Of one that makes no sense the component says what is wrong with it, and does nothing under it.
        with suppress(ValueError, RecursionError):
            policy = [*documents(policy), own]
    return policy if policy is None or isinstance(policy, str) else json.dumps(policy)


def documents(policy: Policy | None) -> list[Any]:
    """A policy as a list of them, to which another one can be added."""
    if policy is None:
        # The profile `default` goes on holding.
        return [{}]
    said = json.loads(policy, object_pairs_hook=_named_once) if isinstance(policy, str) else policy
    if isinstance(said, Mapping):
        return [said]
    if isinstance(said, Sequence) and not isinstance(said, str):
        return list(said)
    raise ValueError("a policy is an object, or a list of them")


def hidden(grants: list[Checked], state: Path | None) -> list[str]:
    """Patterns for the histories in granted directories, by the names that these have inside."""
    found: dict[str, None] = {}
    for history in histories(state):
        real = history.resolve()
        if not any(contains(grant.host, real) for grant in grants):
            continue
        # By the names that were used for it and by those that these lead to.
        for grant in grants:
            for rest in (below(grant.host, real), below(grant.host, history)):
                if rest and ".." not in rest:
                    found[_pattern(grant, rest)] = None
    return list(found)


def _pattern(grant: Checked, rest: tuple[str, ...]) -> str:
    names = [*segments(grant.name), *rest]
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        refuse(grant.host, "fsgate's own directory in it has a name that is not UTF-8, and cannot be hidden")
    return "".join("/" + "".join(f"\\{letter}" if letter in SPECIAL else letter for letter in name) for name in names)


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which no name is there twice: which of them holds is not to be decided here."""
    if len(named := dict(pairs)) != len(pairs):
        raise ValueError("a name is there twice")
    return named
