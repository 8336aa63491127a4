//! Who does what with a file before it is asked for by an older name.

use serde_json::json;

use crate::history::tests::steps::Who::{Agent, Gate, Person};
use crate::history::tests::steps::{
    FIRST, Grants, INNER, NARROW, NESTED, ONE, PARTS, Step, TWO, moved, written,
};

/// Directories of the first one, by names of their own.
const BESIDE: Grants = &[("/x", "q/d"), ("/s", "q/sec")];
const MADE: Grants = &[("/x", "q/made"), ("/s", "q/sec")];
const OUT: Grants = &[("/x", "q/made"), ("/s", "p/a")];

pub(super) struct Case {
    pub(super) name: &'static str,
    /// The file that is there before.
    pub(super) file: Option<&'static str>,
    pub(super) person: Grants,
    pub(super) agent: Grants,
    pub(super) steps: Vec<Step>,
}

pub(super) fn cases() -> Vec<Case> {
    let one = |name, steps| Case { name, file: Some("q/d/x"), person: ONE, agent: ONE, steps };
    let two = |name, steps| Case { name, file: Some("q/a/d/x"), person: TWO, agent: TWO, steps };
    vec![
        one("a file", vec![written("d/x"), moved(Person, "d/x", "sec/x")]),
        one("by another name", vec![written("d/x"), moved(Person, "d/x", "y"), moved(Person, "y", "sec/x")]),
        one(
            "with its directory",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d", "destination": "sec/d", "recursive": true})),
                (Agent, "create", json!({"path": "d/x", "content": "z", "parents": true})),
            ],
        ),
        one(
            "the agent has put something in its place meanwhile, and taken that back",
            vec![
                written("d/x"),
                moved(Agent, "other", "d/x"),
                (Agent, "undo", json!({"id": "$2"})),
                moved(Person, "d/x", "sec/x"),
            ],
        ),
        one(
            "it was deleted, something else had its name and went, and it came back",
            vec![
                written("d/x"),
                (Person, "delete", json!({"path": "d/x"})),
                (Agent, "create", json!({"path": "d/x", "content": "z"})),
                moved(Agent, "d/x", "dummy"),
                (Person, "undo", json!({"id": "$2"})),
                moved(Person, "d/x", "sec/x"),
            ],
        ),
        one(
            "the agent forgets how it went first",
            vec![
                written("d/x"),
                moved(Person, "d/x", "y"),
                moved(Person, "y", "sec/x"),
                (Agent, "forget", json!({"id": "$2"})),
                (Agent, "forget", json!({"path": "y"})),
            ],
        ),
        Case {
            file: None,
            ..one(
                "what was created, and the agent forgets how it went first",
                vec![
                    (Person, "create", json!({"path": "d/y", "content": "SECRET of now\n"})),
                    moved(Person, "d/y", "y"),
                    moved(Person, "y", "sec/x"),
                    (Agent, "forget", json!({"id": "$2"})),
                    (Agent, "create", json!({"path": "d/y", "content": "z"})),
                ],
            )
        },
        one(
            "the person forgets how it went",
            vec![written("d/x"), moved(Person, "d/x", "sec/x"), (Person, "forget", json!({"id": "$2"}))],
        ),
        one(
            "the person forgets all of the path that it has",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d", "destination": "sec/d", "recursive": true})),
                (Person, "forget", json!({"path": "sec"})),
            ],
        ),
        two(
            "to another grant and back and there again, and the person forgets all of that",
            vec![
                written("/a/d/x"),
                moved(Person, "/a/d/x", "/b/sec/x"),
                (Person, "undo", json!({"id": "$2"})),
                (Person, "redo", json!({"id": "$3"})),
                (Person, "forget", json!({"path": "/b"})),
            ],
        ),
        one(
            "with other changes in one call",
            vec![
                written("d/x"),
                (
                    Person,
                    "apply",
                    json!({"patch": "diff --git a/d/x b/sec/x\nsimilarity index 100%\nrename from d/x\n\
                        rename to sec/x\ndiff --git a/other b/other\n--- a/other\n+++ b/other\n@@ -1 +1 @@\n-other\n+new\n"}),
                ),
            ],
        ),
        Case {
            file: None,
            ..one(
                "what was created, when something else has had the name since its directory went",
                vec![
                    (Person, "create", json!({"path": "d/x", "content": "SECRET of now\n"})),
                    (Agent, "move", json!({"source": "d", "destination": "e", "recursive": true})),
                    (Agent, "create", json!({"path": "d/x", "content": "z", "parents": true})),
                    moved(Agent, "d/x", "dummy"),
                    moved(Person, "e/x", "sec/x"),
                ],
            )
        },
        Case {
            file: None,
            ..one(
                "what was created with its directories, with one of those",
                vec![
                    (
                        Person,
                        "create",
                        json!({"path": "d/s/x", "content": "SECRET of now\n", "parents": true}),
                    ),
                    (Person, "move", json!({"source": "d/s", "destination": "sec/s", "recursive": true})),
                    (Agent, "create", json!({"path": "d/s/x", "content": "z", "parents": true})),
                ],
            )
        },
        Case {
            file: None,
            ..one(
                "what was created with its directories, of which one went, and that is to be forgotten",
                vec![
                    (
                        Person,
                        "create",
                        json!({"path": "k/s/x", "content": "SECRET of now\n", "parents": true}),
                    ),
                    (Person, "move", json!({"source": "k", "destination": "e", "recursive": true})),
                    moved(Person, "e/s/x", "sec/x"),
                    (Agent, "forget", json!({"id": "$2"})),
                    (Agent, "create", json!({"path": "k/s/x", "content": "z", "parents": true})),
                ],
            )
        },
        one(
            "something has a name that folds to the same",
            vec![
                written("d/x"),
                (Agent, "create", json!({"path": "d/X", "content": "z"})),
                moved(Person, "d/x", "sec/x"),
            ],
        ),
        one(
            "there and back by a name that something else had, which left no record",
            vec![
                written("d/x"),
                (Agent, "create", json!({"path": "t/x", "content": "z", "parents": true})),
                (Agent, "delete", json!({"path": "t/x", "keep": false})),
                moved(Person, "d/x", "t/x"),
                moved(Person, "t/x", "d/x"),
                moved(Person, "d/x", "sec/x"),
            ],
        ),
        one(
            "there and back by a name of something else, of which it is forgotten how it went",
            vec![
                written("d/x"),
                (Agent, "create", json!({"path": "t/x", "content": "z", "parents": true})),
                moved(Agent, "t/x", "t/j"),
                (Agent, "forget", json!({"id": "$3"})),
                moved(Person, "d/x", "t/x"),
                moved(Person, "t/x", "d/x"),
                moved(Person, "d/x", "sec/x"),
            ],
        ),
        one(
            "by a name of something that was made and taken back",
            vec![
                written("d/x"),
                (Person, "create", json!({"path": "t/x", "content": "z", "parents": true})),
                (Person, "undo", json!({"id": "$2"})),
                (Person, "move", json!({"source": "d/x", "destination": "t/x", "parents": true})),
                moved(Person, "t/x", "sec/x"),
            ],
        ),
        one(
            "with a directory that was made for it, when its place there is somebody else's",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d/x", "destination": "m/x", "parents": true})),
                (Agent, "move", json!({"source": "m", "destination": "n", "recursive": true})),
                (Agent, "create", json!({"path": "m/x/y", "content": "z", "parents": true})),
                (Agent, "move", json!({"source": "m/x", "destination": "dummy", "recursive": true})),
                (Person, "move", json!({"source": "n", "destination": "sec/n", "recursive": true})),
            ],
        ),
        one(
            "it left a directory that was moved after that",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d", "destination": "m", "recursive": true})),
                moved(Person, "m/x", "sec/x"),
                (Agent, "move", json!({"source": "m", "destination": "d", "recursive": true})),
            ],
        ),
        one(
            "it is forgotten how it came into the directory",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d/x", "destination": "m/x", "parents": true})),
                (Agent, "forget", json!({"id": "$2"})),
                (Person, "move", json!({"source": "m", "destination": "sec/m", "recursive": true})),
            ],
        ),
        two(
            "with its directory, when a way to another grant was taken back",
            vec![
                written("/a/d/x"),
                moved(Agent, "/a/d/x", "/b/x"),
                (Agent, "undo", json!({"id": "$2"})),
                (
                    Person,
                    "move",
                    json!({"source": "/a/d", "destination": "/a/sec/d", "recursive": true, "parents": true}),
                ),
            ],
        ),
        two(
            "by itself, when a way to another grant was taken back",
            vec![
                written("/a/d/x"),
                moved(Agent, "/a/d/x", "/b/x"),
                (Agent, "undo", json!({"id": "$2"})),
                (Person, "move", json!({"source": "/a/d/x", "destination": "/a/sec/x", "parents": true})),
            ],
        ),
        two(
            "from a directory in another grant that has moved to and fro",
            vec![
                written("/a/d/x"),
                moved(Person, "/a/d/x", "/b/n/x"),
                (Agent, "move", json!({"source": "/b/n", "destination": "/b/k", "recursive": true})),
                moved(Person, "/b/k/x", "/b/sec/x"),
                (Agent, "move", json!({"source": "/b/k", "destination": "/b/n", "recursive": true})),
            ],
        ),
        one(
            "with its directory, which came back without it",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d", "destination": "sec/d", "recursive": true})),
                moved(Person, "sec/d/x", "sec/z"),
                (Person, "undo", json!({"id": "$2"})),
            ],
        ),
        one(
            "with its directory, which came back when it had been deleted",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d", "destination": "sec/d", "recursive": true})),
                (Person, "delete", json!({"path": "sec/d/x"})),
                (Person, "undo", json!({"id": "$2"})),
                (Person, "create_directory", json!({"path": "sec/d"})),
                (Person, "undo", json!({"id": "$3"})),
            ],
        ),
        two(
            "to another grant, taken back, and done again",
            vec![
                written("/a/d/x"),
                moved(Person, "/a/d/x", "/b/sec/x"),
                (Person, "undo", json!({"id": "$2"})),
                (Person, "redo", json!({"id": "$3"})),
            ],
        ),
        Case {
            file: None,
            ..one(
                "by a gate to its directory, into which the agent has led it and forgets that",
                vec![
                    (Person, "create", json!({"path": "e/x", "content": "SECRET of now\n", "parents": true})),
                    moved(Agent, "e/x", "d/y"),
                    moved(Gate(BESIDE), "/x/y", "/s/y"),
                    (Agent, "forget", json!({"id": "$2"})),
                ],
            )
        },
        one(
            "by a gate to its directory, which the agent has made anew and forgets that",
            vec![
                written("d/x"),
                (Agent, "delete", json!({"path": "d/x"})),
                (Agent, "move", json!({"source": "d", "destination": "z", "recursive": true})),
                (Agent, "create_directory", json!({"path": "d"})),
                (Agent, "undo", json!({"id": "$2"})),
                (Agent, "forget", json!({"path": "z"})),
                (Agent, "forget", json!({"path": "d"})),
                moved(Gate(BESIDE), "/x/x", "/s/x"),
            ],
        ),
        one(
            "by a gate to a directory that was made for it",
            vec![
                written("d/x"),
                (Agent, "move", json!({"source": "d/x", "destination": "made/x", "parents": true})),
                moved(Gate(MADE), "/x/x", "/s/x"),
            ],
        ),
        Case {
            file: None,
            ..one(
                "by a gate to a directory that was made with it",
                vec![
                    (
                        Person,
                        "create",
                        json!({"path": "made/x", "content": "SECRET of now\n", "parents": true}),
                    ),
                    moved(Gate(MADE), "/x/x", "/s/x"),
                ],
            )
        },
        one(
            "out of what is granted by a gate to a directory that was made for it",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d/x", "destination": "made/x", "parents": true})),
                moved(Gate(OUT), "/x/x", "/s/y"),
            ],
        ),
        Case {
            name: "by a narrower gate, whose directory is made anew without a record",
            file: Some("q/d/x"),
            person: PARTS,
            agent: ONE,
            steps: vec![
                written("/w/d/x"),
                moved(Person, "/w/d/x", "/w/sec/x"),
                (Agent, "delete_directory", json!({"path": "/w/d", "recursive": true, "keep": false})),
                (Agent, "create_directory", json!({"path": "/w/d"})),
            ],
        },
        two(
            "to another grant, and on from there, when something else has had the name",
            vec![
                written("/a/d/x"),
                moved(Person, "/a/d/x", "/b/n/x"),
                (Agent, "move", json!({"source": "/b/n", "destination": "/b/e", "recursive": true})),
                (Agent, "create", json!({"path": "/b/n/x", "content": "z", "parents": true})),
                moved(Agent, "/b/n/x", "/b/dummy"),
                moved(Person, "/b/e/x", "/b/sec/x"),
            ],
        ),
        two(
            "to another grant, into a directory that is made, and with that",
            vec![
                written("/a/d/x"),
                (Person, "move", json!({"source": "/a/d/x", "destination": "/b/m/x", "parents": true})),
                (Person, "move", json!({"source": "/b/m", "destination": "/b/sec/m", "recursive": true})),
            ],
        ),
        two("to another grant", vec![written("/a/d/x"), moved(Person, "/a/d/x", "/b/sec/x")]),
        Case {
            agent: FIRST,
            ..two(
                "to another grant, which the agent has not",
                vec![written("/a/d/x"), moved(Person, "/a/d/x", "/b/sec/x")],
            )
        },
        Case {
            file: Some("q/sec/x"),
            ..one(
                "out of there, and changed by the same call",
                vec![(
                    Person,
                    "apply",
                    json!({"patch": "diff --git a/sec/x b/d/x\nrename from sec/x\nrename to d/x\n--- a/sec/x\n+++ b/d/x\n\
                        @@ -1 +1 @@\n-SECRET of then\n+clean\n"}),
                )],
            )
        },
        Case {
            file: None,
            ..one(
                "with its directory, and all of it taken back by one call",
                vec![
                    (Person, "create", json!({"path": "d/x", "content": "z"})),
                    (Person, "checkpoint", json!({"label": "here"})),
                    written("d/x"),
                    (Person, "move", json!({"source": "d", "destination": "sec/d", "recursive": true})),
                    (Person, "undo", json!({"to": "here"})),
                ],
            )
        },
        Case {
            file: None,
            ..two(
                "to another grant, all of it taken back by one call, and the move forgotten",
                vec![
                    (Person, "create", json!({"path": "/a/d/x", "content": "z", "parents": true})),
                    (Person, "checkpoint", json!({"label": "here"})),
                    written("/a/d/x"),
                    moved(Person, "/a/d/x", "/b/sec/x"),
                    (Person, "undo", json!({"to": "here"})),
                    (Person, "forget", json!({"id": "$4"})),
                ],
            )
        },
        Case {
            file: None,
            ..two(
                "out of another grant and changed, taken back by one call, and made again by one",
                vec![
                    (Person, "create", json!({"path": "/b/sec/x", "content": "SECRET of now\n"})),
                    (Person, "checkpoint", json!({"label": "here"})),
                    moved(Person, "/b/sec/x", "/a/x"),
                    (Person, "replace", json!({"path": "/a/x", "old": "SECRET of now", "new": "clean"})),
                    (Person, "undo", json!({"to": "here"})),
                    (Person, "redo", json!({})),
                ],
            )
        },
        Case {
            name: "by another name of its directory",
            file: Some("q/in/x"),
            person: NESTED,
            agent: NESTED,
            steps: vec![written("/n/x"), moved(Person, "/w/in/x", "/w/sec/x")],
        },
        Case {
            name: "by another name of its directory, twice",
            file: Some("q/in/x"),
            person: NESTED,
            agent: NESTED,
            steps: vec![
                written("/w/in/x"),
                moved(Person, "/n/x", "/n/y"),
                moved(Person, "/w/in/y", "/w/sec/x"),
            ],
        },
        Case {
            name: "written by a gate to its directory alone",
            file: Some("q/in/x"),
            person: INNER,
            agent: NESTED,
            steps: vec![written("/n/x"), moved(Person, "/n/x", "/n/sec/x")],
        },
        Case {
            name: "its directory is made anew by a gate that is narrower",
            file: Some("q/in/d/x"),
            person: ONE,
            agent: NARROW,
            steps: vec![
                written("in/d/x"),
                moved(Person, "in/d/x", "in/sec/x"),
                (Agent, "delete_directory", json!({"path": "d"})),
                (Agent, "create_directory", json!({"path": "d"})),
            ],
        },
        Case {
            name: "made with its directory, which a narrower gate has moved away",
            file: None,
            person: ONE,
            agent: NARROW,
            steps: vec![
                (
                    Person,
                    "create",
                    json!({"path": "in/made/x", "content": "SECRET of now\n", "parents": true}),
                ),
                moved(Person, "in/made/x", "in/sec/x"),
                (Agent, "move", json!({"source": "made", "destination": "e", "recursive": true})),
                (Agent, "create", json!({"path": "made/x", "content": "z", "parents": true})),
            ],
        },
    ]
}
