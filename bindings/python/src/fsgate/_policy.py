"""The policy of a gate: the caller's, and the rules that always hold."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

Policy = Mapping[str, Any] | Sequence[Mapping[str, Any]] | str


def told(policy: Policy | None, rules: Sequence[Mapping[str, Any]]) -> str | None:
    """Returns a policy in JSON with these rules, if there are any."""
    if rules:
        # The component refuses an invalid policy with a reason.
        with suppress(ValueError, RecursionError):
            policy = [*documents(policy), {"profile": "open", "rules": rules}]
    return policy if policy is None or isinstance(policy, str) else json.dumps(policy)


def documents(policy: Policy | None) -> list[Any]:
    """Returns a policy as a list, for further ones."""
    if policy is None:
        # The profile `default` stays.
        return [{}]
    said = json.loads(policy, object_pairs_hook=_named_once) if isinstance(policy, str) else policy
    if isinstance(said, Mapping):
        return [said]
    if isinstance(said, Sequence) and not isinstance(said, str):
        return list(said)
    raise ValueError("a policy is an object, or a list of them")


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object, and refuses a repeated name, as the component does."""
    if len(named := dict(pairs)) != len(pairs):
        raise ValueError("a name is there twice")
    return named
