"""What the policy says besides: a history is no part of what tools see, also where a directory around it may be read, what runs
is not written to, and what is found at the next start by some name keeps that name.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ._places import PYTHON, StrPath, below, contains, histories, is_utf8, own_directories, way
from ._program import program
from .grants import Checked, refuse, segments

Policy = Mapping[str, Any] | Sequence[Mapping[str, Any]] | str

#: What has a meaning in a pattern.
SPECIAL = frozenset("*?[]{}\\")

STAYS = "a directory or a link in it that has to stay where it is"


def told(policy: Policy | None, grants: list[Checked], state: Path | None, component: StrPath | None = None) -> str | None:
    """A policy in JSON, with rules about what is protected in any case; none if nothing is to be said."""
    if own_rules := rules(grants, state, component):
        own = {"profile": "open", "rules": own_rules}
        # Of one that makes no sense the component says what is wrong with it, and does nothing under it.
        with suppress(ValueError, RecursionError):
            policy = [*documents(policy), own]
    return policy if policy is None or isinstance(policy, str) else json.dumps(policy)


def rules(grants: list[Checked], state: Path | None, component: StrPath | None) -> list[dict[str, Any]]:
    """What no tool touches in the granted directories, whatever the policies say."""
    asked, granted = [grant.asked for grant in grants], [grant.host for grant in grants]
    # What this package keeps in its directories may lie behind one more link.
    own = [directory / PYTHON for directory in own_directories(None)] + histories(state)
    runs, writable = program(component), [grant for grant in grants if not grant.read_only]
    said = [
        ("own_program", "read_only", inside(writable, runs, "what runs in it")),
        ("own_program", "keeps_name", kept(grants, on_the_way(runs))),
        ("granted_directory", "keeps_name", kept(grants, [*granted, *on_the_way(asked)])),
        ("own_directory", "keeps_name", kept(grants, on_the_way(own))),
        ("own_state", "hidden", inside(grants, histories(state), "fsgate's own directory in it")),
    ]
    return [{"name": name, "paths": paths, "effect": effect} for name, effect, paths in said if paths]


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


def on_the_way(paths: Iterable[Path]) -> list[Path]:
    """What leads to some paths: who could put something else there would say what is found at the next start."""
    return [name for path in paths for name in way(path)]


def kept(grants: list[Checked], paths: Iterable[Path]) -> list[str]:
    """Patterns for directories and links, by the names that these have in directories granted for writing."""
    found: dict[str, None] = {}
    for path in paths:
        for grant in grants:
            # From the directory that the name stands in: what a link leads to is another thing.
            rest = below(grant.host, path.parent)
            if rest is not None and path.name and not grant.read_only:
                found[_pattern(grant, (*rest, path.name), STAYS)] = None
    return list(found)


def inside(grants: list[Checked], paths: Iterable[Path], what: str) -> list[str]:
    """Patterns for what lies in granted directories, or around them, by the names that this has inside."""
    patterns: dict[str, None] = {}
    for path in paths:
        real = path.resolve()
        if not any(contains(grant.host, real) or contains(real, grant.host) for grant in grants):
            continue
        # By the names that were used for it and by those that these lead to.
        for grant in grants:
            if contains(real, grant.host):
                patterns[_pattern(grant, (), what)] = None
            for rest in (below(grant.host, real), below(grant.host, path)):
                if rest and ".." not in rest:
                    patterns[_pattern(grant, rest, what)] = None
    return list(patterns)


def _pattern(grant: Checked, rest: tuple[str, ...], what: str) -> str:
    names = [*segments(grant.name), *rest]
    if not is_utf8("".join(names)):
        refuse(grant.host, f"{what} has a name that is not UTF-8, which no rule can say; give it another one")
    quoted = ("".join(f"\\{letter}" if letter in SPECIAL else letter for letter in name) for name in names)
    return "/" + ("/".join(quoted) or "**")


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which no name is there twice: which of them holds is not to be decided here."""
    if len(named := dict(pairs)) != len(pairs):
        raise ValueError("a name is there twice")
    return named
