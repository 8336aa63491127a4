"""The runner itself: what it does not understand is an error, and what is wrong is found."""

from pathlib import Path

import pytest

from corpus import cases, disk, placeholders, trees, verdict

GOOD = """# Read

## read

### says-what-is-there
Where it comes from.
only: disk, a reason

```before
file w/a "x"
file o/s "secret"
```
```call
{"path": "a"}
```
```error
{"code": "io"}
```
```after
unchanged
```
"""


def test_a_case_is_read() -> None:
    (case,) = cases.parsed("read", GOOD)
    assert (case.name, case.only, case.is_error) == ("says-what-is-there", ("disk", "a reason"), True)
    assert case.after.items == case.before.items


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("```after\nunchanged\n```\n", ""),
        ("```after", "```then"),
        ("### says", "#### says"),
        ("says-what", "Says what"),
        ("## read", "## write"),
        ("only: disk, a", "only: moon, a"),
        ('{"code": "io"}', "{}"),
        ('{"code": "io"}', "{"),
        ("file w/a", "fule w/a"),
        ("after\nunchanged\n```", "after\nunchanged"),
    ],
)
def test_what_is_not_understood_is_refused(old: str, new: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        cases.parsed("read", GOOD.replace(old, new, 1))


@pytest.mark.parametrize(
    "line",
    [
        'fil w/a ""',
        "file w/a",
        "file w/a x",
        'file w/a "" ""',
        'file ../a ""',
        "link w/a b",
        "directory w/a mode=755",
        "bytes w/a 0",
        "bytes w/a zz",
        "grant w for reading",
        "hard-link w/a = w/b",
        "no-grant w",
        "moved w/a <- w/b",
        'file w/a ""\nmoved w/a w/b',
        'undecodable w "plain"',
        "directory w/a\ndirectory w/a",
    ],
)
def test_a_tree_that_is_not_understood_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        trees.parsed(line)


def test_every_line_of_a_tree_is_read(tmp_path: Path) -> None:
    tree = trees.parsed(
        'grant w\ngrant ro read-only as /r\nfile w/a "x\\r\\n"\nbytes "w/ b" mode=755 "caf" E9 "$repeat(2, ab)"\n'
        'link w/l -> $root/o\nhard-link w/c = w/a\ndirectory w/d\nfifo w/f\nundecodable w/d "caf" e9\n'
    )
    assert [(grant.name, grant.read_only) for grant in tree.grants] == [("/w", False), ("/r", True)]
    assert (tree.content("w/c"), tree.content("w/ b")) == (b"x\r\n", b"caf\xe9abab")
    assert tree.is_outside("wide") and not tree.is_outside("w/x")
    disk.set_up(tmp_path, tree)
    found = disk.snapshot(tmp_path)
    assert {path: (seen.kind, seen.content) for path, seen in found.items()} == disk.contents(tmp_path, tree)
    assert (found["w/ b"].mode, found["w/a"].links) == (0o755, 2)


def test_placeholders_stand_for_what_they_say() -> None:
    before, after = trees.parsed('file w/a "old"'), trees.parsed('file w/a "new"')
    for text, expected in [
        ("a$repeat(3, b/)c", "ab/b/b/c"),
        ("$& $1 $repeat(x)", "$& $1 $repeat(x)"),
        ("$etag(w/a)", placeholders.tag(b"new")),
        ("$etag-before(w/a)", placeholders.tag(b"old")),
        ("$range(w/a, 1, 2)", f"r1+2:{placeholders.tag(b'ld')}"),
        ("$range-after(w/a, 1, 2)", f"r1+2:{placeholders.tag(b'ew')}"),
        ("$time", "$time"),
    ]:
        assert placeholders.expanded([text], before, after, '{"old": "a"}') == [expected]
    assert placeholders.tag(b"") == "af1349b9f5f9a1a6a0404dea36dcc949"


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
    (case,) = cases.parsed("read", GOOD)
    error = ERROR | changed
    assert (verdict.of_answer(case, error, True, str(error)) == []) == is_right


def test_trees_are_compared_whole(tmp_path: Path) -> None:
    (case,) = cases.parsed("read", GOOD)
    disk.set_up(tmp_path, case.before)
    before = disk.snapshot(tmp_path)
    file = tmp_path / "w/a"
    assert verdict.of_tree(case, tmp_path, before, disk.snapshot(tmp_path)) == []
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
        assert verdict.of_tree(case, tmp_path, before, disk.snapshot(tmp_path)) != []
        (tmp_path / "w/.fsgate-1").unlink(missing_ok=True)
