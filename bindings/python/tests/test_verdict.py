"""Checks the runner of the corpus itself: it reads every kind of item, and finds differences."""

from dataclasses import replace
from pathlib import Path

import pytest

from corpus import compiled, disk, trees, verdict
from corpus.cases import Case

GRANTS = [
    {"directory": "w", "name": "/w", "read_only": False},
    {"directory": "ro", "name": "/r", "read_only": True},
]

ITEMS = [
    {"path": "o/s", "kind": "file", "content": [{"text": "secret"}]},
    {"path": "w/ b", "kind": "file", "content": [{"text": "$repeat(2, ab)"}, {"base64": "6Q=="}], "mode": 0o755},
    {"path": "w/a", "kind": "file", "content": [{"text": "x\r\n"}]},
    {"path": "w/c", "kind": "hard-link", "to": "w/a"},
    {"path": "w/d", "kind": "directory"},
    {"path": "w/d/caf\ufffd", "kind": "undecodable", "base64": "Y2Fm6Q=="},
    {"path": "w/f", "kind": "fifo"},
    {"path": "w/l", "kind": "link", "target": "$root/o"},
]

TREE = trees.Tree(GRANTS, ITEMS)

CASE = Case("read", "read", "name", before=TREE, after=TREE, arguments="{}", earlier=[], error={"code": "io"})


def test_every_item_of_a_tree_is_created(tmp_path: Path) -> None:
    assert (TREE.content("w/c"), TREE.content("w/ b")) == (b"x\r\n", b"abab\xe9")
    assert TREE.is_outside("wide") and not TREE.is_outside("w/x")
    disk.set_up(tmp_path, TREE)
    found = disk.snapshot(tmp_path)
    assert {path: (seen.kind, seen.content) for path, seen in found.items()} == disk.contents(tmp_path, TREE)
    assert (found["w/ b"].mode, found["w/a"].links) == (0o755, 2)
    assert found["w/l"].content == f"{tmp_path}/o"


@pytest.mark.parametrize("item", [{"path": "w/a", "kind": "socket"}, {"path": "w/a", "kind": "file", "content": [], "owner": 0}])
def test_an_unknown_item_is_an_error(item: dict, tmp_path: Path) -> None:
    with pytest.raises((TypeError, ValueError)):
        disk.set_up(tmp_path, trees.Tree(GRANTS, [item]))


def test_repetitions_and_ids_are_expanded() -> None:
    case = replace(CASE, arguments='{"a": "$repeat(2, \\n)$undo-id(2)"}', error={"a": ["$& $repeat(x)", "$repeat(2, ä)"]})
    expanded = case.expanded(["i", "j"])
    assert (expanded.arguments, expanded.error) == ('{"a": "\\n\\nj"}', {"a": ["$& $repeat(x)", "ää"]})
    assert expanded.outcome is None


def test_a_corpus_that_is_not_compiled_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(compiled, "DIRECTORY", tmp_path)
    with pytest.raises(FileNotFoundError, match="make corpus"):
        list(compiled.cases("cases"))


@pytest.mark.parametrize(
    ("expected", "found", "is_right"),
    [
        ({"a": ["$time"]}, {"a": ["2026-01-01T00:00:00.5Z"]}, True),
        ({"a": "$time"}, {"a": "now"}, False),
        ({"a": "$time-if-known"}, {}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({"a": 1, "b": 1}, {"a": 1}, False),
        ({"a": [1]}, {"a": [1, 1]}, False),
        ({"a": "$number"}, {"a": 7}, True),
        ({"a": "$undo-id"}, {"a": "0" * 32}, True),
        ({"a": "$undo-id"}, {"a": "0"}, False),
        ({"a": "$backup"}, {"a": "history:" + "0" * 32}, True),
    ],
)
def test_answers_are_compared_whole(expected: object, found: object, is_right: bool) -> None:
    assert (verdict.compared("outcome", expected, found) == []) == is_right


@pytest.mark.parametrize(
    ("found", "is_right"),
    [
        ({"a": [{"b": 1}]}, True),
        ({"a": [{"b": 1, "c": 2}], "d": 3}, True),
        ({"a": [{"b": 2, "c": 2}], "d": 3}, False),
        ({"a": [{"c": 2}], "d": 3}, False),
        ({"a": [{"b": 1}, {"b": 1}]}, False),
    ],
)
def test_partial_outcomes_may_have_more_members(found: object, is_right: bool) -> None:
    assert (verdict.compared("outcome", {"a": [{"b": 1}]}, found, partial=True) == []) == is_right


ERROR = {"code": "io", "operation": "read", "message": "it broke", "applied": False, "path": "a"}


@pytest.mark.parametrize(
    ("changed", "is_right"),
    [
        ({}, True),
        ({"code": "other"}, False),
        ({"operation": "write"}, False),
        ({"message": ""}, False),
        ({"message": "It broke"}, False),
        ({"message": "it broke."}, False),
        ({"applied": True}, False),
        ({"path": "secret"}, False),
        ({"path": "x" * 8192}, False),
    ],
)
def test_errors_have_their_form(changed: dict, is_right: bool) -> None:
    error = ERROR | changed
    assert (verdict.of_answer(CASE, error, True, str(error)) == []) == is_right


def test_trees_are_compared_whole(tmp_path: Path) -> None:
    tree = trees.Tree(GRANTS[:1], [{"path": "w/a", "kind": "file", "content": [{"text": "x"}]}])
    disk.set_up(tmp_path, tree)
    before = disk.snapshot(tmp_path)
    file = tmp_path / "w/a"
    assert verdict.of_tree(tree, tmp_path, before, disk.snapshot(tmp_path)) == []
    for spoil in (
        lambda: file.write_text("y"),
        lambda: file.write_text("x"),
        lambda: file.chmod(0o700),
        lambda: (tmp_path / "w/.fsgate-1").write_text(""),
        lambda: (tmp_path / "w/b").hardlink_to(file),
        lambda: (file.unlink(), file.write_text("x")),
        lambda: file.unlink(),
    ):
        spoil()
        assert verdict.of_tree(tree, tmp_path, before, disk.snapshot(tmp_path)) != []
        (tmp_path / "w/.fsgate-1").unlink(missing_ok=True)
