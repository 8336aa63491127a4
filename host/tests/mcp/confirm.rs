//! Consent: by the person if the client can ask, else by the model.

use std::fs;

use serde_json::{Value, json};

use super::client::{Client, HANDSHAKE, REVISIONS, Scratch, handshake, meta, text};

const POLICY: &str = r#"{"confirm_delete": true}"#;

/// A server over `w` with `a.txt` and a directory `d` with two files, under a policy that wants
/// deletions confirmed.
struct Scene {
    scratch: Scratch,
    client: Client,
}

impl Scene {
    fn new(words: &[&str]) -> Self {
        let scratch = Scratch::new();
        fs::create_dir(scratch.granted().join("d")).unwrap();
        for file in ["a.txt", "d/x", "d/y"] {
            fs::write(scratch.granted().join(file), "text").unwrap();
        }
        let mut command = scratch.command();
        command.env("FSGATE_POLICY", POLICY).args(["mcp", "--dir", "w::/w", "--tools", "all"]);
        command.args(["--audit", "kept/audit.jsonl"]).args(words);
        Self { client: Client::start(command), scratch }
    }

    /// After the handshake of a client with this capability.
    fn begin(capability: Option<Value>) -> Self {
        let mut scene = Self::new(&[]);
        let mut params = handshake(HANDSHAKE);
        if let Some(capability) = capability {
            params["capabilities"]["elicitation"] = capability;
        }
        scene.client.request("initialize", &params);
        scene.client.notify("notifications/initialized", &json!({}));
        scene
    }

    fn is_there(&self, file: &str) -> bool {
        self.scratch.granted().join(file).exists()
    }

    /// Outcome and confirmation of each line of the audit.
    fn audit(&self) -> Vec<(String, Value)> {
        let text = fs::read_to_string(self.scratch.path().join("kept/audit.jsonl")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.map(|line| (line["outcome"].as_str().unwrap().to_owned(), line["confirmed"].clone())).collect()
    }
}

/// The server's next question: its id and its text.
fn question(client: &Client) -> (Value, String) {
    let message = client.message().unwrap();
    assert_eq!(message["method"], "elicitation/create", "{message}");
    let params = &message["params"];
    assert_eq!(params["requestedSchema"]["properties"]["confirm"]["type"], "boolean");
    assert_eq!(params["requestedSchema"]["required"], json!(["confirm"]));
    (message["id"].clone(), params["message"].as_str().unwrap().to_owned())
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"confirm": true}})
}

fn fields(tools: &Value, tool: &str) -> Vec<String> {
    let tools = tools["tools"].as_array().unwrap();
    let tool = tools.iter().find(|listed| listed["name"] == tool).unwrap();
    tool["inputSchema"]["properties"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn a_person_is_asked_and_their_answer_counts() {
    for (answer, code, deleted) in [
        (json!({"result": yes()}), "", true),
        (
            json!({"result": {"action": "accept", "content": {"confirm": false}}}),
            "confirmation_required",
            false,
        ),
        (json!({"result": {"action": "accept"}}), "confirmation_required", false),
        (json!({"result": {"action": "decline"}}), "confirmation_required", false),
        (json!({"result": {"action": "cancel"}}), "cancelled", false),
        (json!({"error": {"code": -32601, "message": "no"}}), "confirmation_required", false),
    ] {
        let mut scene = Scene::begin(Some(json!({})));
        let id = scene.client.begin("delete_directory", &json!({"path": "d", "recursive": true}));
        let (asked, words) = question(&scene.client);
        assert!(words.contains("`delete_directory`") && words.contains("\n- `/w/d`\n"), "{words}");
        assert!(words.contains("It can be undone."), "{words}");
        // Other calls run meanwhile.
        let read = scene.client.call("read", &json!({"path": "d/x"}));
        assert_eq!(read["structuredContent"]["content"], "text");
        let mut message = answer.clone();
        message["jsonrpc"] = "2.0".into();
        message["id"] = asked;
        scene.client.send(&message);
        let result = scene.client.answer(id)["result"].take();
        let found = result["structuredContent"]["code"].as_str().unwrap_or_default();
        assert_eq!(found, code, "{answer}: {result}");
        assert_eq!(scene.is_there("d"), !deleted, "{answer}");
        let audit = scene.audit();
        let last = audit.last().unwrap();
        let expected =
            if deleted { ("ok".to_owned(), json!("person")) } else { (code.to_owned(), Value::Null) };
        assert_eq!(last, &expected, "{answer}");
    }
}

#[test]
fn a_model_cannot_agree_in_the_place_of_a_person() {
    for asks in [json!({}), json!({"form": {}}), json!({"form": {}, "url": {}})] {
        let mut scene = Scene::begin(Some(asks));
        let tools = scene.client.request("tools/list", &json!({}))["result"].take();
        for tool in ["delete", "delete_directory", "apply"] {
            assert!(!fields(&tools, tool).contains(&"confirm".to_owned()), "{tool}");
        }
        assert!(fields(&tools, "delete").contains(&"path".to_owned()));
        let id = scene.client.begin("delete", &json!({"path": "a.txt", "confirm": true}));
        let (asked, words) = question(&scene.client);
        assert!(words.contains("1 file or directory will be deleted"), "{words}");
        scene.client.send(&json!({"jsonrpc": "2.0", "id": asked, "result": {"action": "decline"}}));
        scene.client.answer(id);
        assert!(scene.is_there("a.txt"));
    }
}

#[test]
fn where_nobody_can_be_asked_the_model_agrees() {
    for asks in [None, Some(json!({"url": {}}))] {
        let mut scene = Scene::begin(asks);
        let tools = scene.client.request("tools/list", &json!({}))["result"].take();
        assert!(fields(&tools, "delete").contains(&"confirm".to_owned()));
        let refused = scene.client.call("delete", &json!({"path": "a.txt"}));
        assert_eq!(refused["structuredContent"]["code"], "confirmation_required");
        assert!(text(&refused).contains("confirm"), "{refused}");
        scene.client.call("delete", &json!({"path": "a.txt", "confirm": true}));
        assert!(!scene.is_there("a.txt"));
        let refused = ("confirmation_required".to_owned(), Value::Null);
        assert_eq!(scene.audit(), [refused, ("ok".to_owned(), json!("model"))]);
    }
}

#[test]
fn nobody_is_asked_about_what_would_be_refused_anyway_or_needs_nobody() {
    let mut scene = Scene::begin(Some(json!({})));
    for (tool, arguments, code) in [
        ("delete", json!({"path": "none"}), "not_found"),
        ("delete", json!({"path": "d"}), "is_directory"),
        ("delete", json!({"path": "../x"}), "not_granted"),
        ("delete", json!({"path": "a.txt", "dry_run": true}), ""),
        ("write", json!({"path": "a.txt", "content": "x"}), ""),
        ("apply", json!({"edits": [{"path": "a.txt", "content": "y"}]}), ""),
    ] {
        let result = scene.client.call(tool, &arguments);
        let found = result["structuredContent"]["code"].as_str().unwrap_or_default();
        assert_eq!(found, code, "{tool} {arguments}: {result}");
    }
    assert!(scene.client.others().is_empty());
}

#[test]
fn in_revisions_without_requests_of_the_server_the_call_is_made_again() {
    let mut scene = Scene::new(&[]);
    let mut meta = meta(REVISIONS[0]);
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {"form": {}}});
    let tools = scene.client.request("tools/list", &json!({"_meta": meta}))["result"].take();
    assert!(!fields(&tools, "delete").contains(&"confirm".to_owned()));
    let params = |arguments: &Value| json!({"name": "delete", "arguments": arguments, "_meta": meta});
    let arguments = json!({"path": "a.txt"});
    let ask = |client: &mut Client| {
        let asked = client.request("tools/call", &params(&arguments))["result"].take();
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let request = &asked["inputRequests"]["confirm"];
        assert_eq!(request["method"], "elicitation/create");
        assert!(request["params"]["message"].as_str().unwrap().contains("a.txt"));
        asked["requestState"].clone()
    };
    let again = |client: &mut Client, state: &Value, arguments: &Value, answer: Value| {
        let mut params = params(arguments);
        params["requestState"] = state.clone();
        params["inputResponses"] = json!({"confirm": answer});
        client.request("tools/call", &params)["result"].take()
    };
    let state = ask(&mut scene.client);
    let refused = again(&mut scene.client, &state, &arguments, json!({"action": "decline"}));
    assert_eq!(refused["structuredContent"]["code"], "confirmation_required", "{refused}");
    assert!(scene.is_there("a.txt"));
    // Invented, repeated and foreign answers do not count: the person is asked again.
    let made_up = json!("0123456789abcdef0123456789abcdef");
    for state in [state, made_up] {
        let asked = again(&mut scene.client, &state, &arguments, yes());
        assert_eq!(asked["resultType"], "input_required", "{asked}");
    }
    let state = ask(&mut scene.client);
    let asked = again(&mut scene.client, &state, &json!({"path": "d/x"}), yes());
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert!(scene.is_there("a.txt") && scene.is_there("d/x"));
    let state = ask(&mut scene.client);
    let done = again(&mut scene.client, &state, &arguments, yes());
    assert_eq!(done["structuredContent"]["deleted"], 1, "{done}");
    assert!(!scene.is_there("a.txt"));
    assert_eq!(scene.audit().last().unwrap(), &("ok".to_owned(), json!("person")));
}

/// The call, the agent's change meanwhile, and the files that have to remain after the person's
/// consent.
type Swap = (&'static str, Value, fn(&mut Client), &'static [&'static str]);

fn rename(client: &mut Client, source: &str, destination: &str) {
    let moved =
        client.call("move", &json!({"source": source, "destination": destination, "recursive": true}));
    assert!(moved.get("isError").is_none(), "{moved}");
}

fn put(client: &mut Client, path: &str, content: &str) {
    let written = client.call("write", &json!({"path": path, "content": content}));
    assert!(written.get("isError").is_none(), "{written}");
}

fn swaps() -> Vec<Swap> {
    vec![
        (
            "delete_directory",
            json!({"path": "d", "recursive": true, "keep": false}),
            |client| {
                rename(client, "d", "d2");
                rename(client, "precious", "d");
            },
            &["d/x", "d/y"],
        ),
        (
            "delete_directory",
            json!({"path": "d", "recursive": true}),
            |client| put(client, "d/z", "new"),
            &["d/x", "d/z"],
        ),
        (
            "delete",
            json!({"path": "d", "glob": "*", "keep": false}),
            |client| put(client, "d/z", "new"),
            &["d/x", "d/z"],
        ),
        (
            "delete",
            json!({"path": "d", "glob": "*", "keep": false}),
            |client| {
                rename(client, "d", "d2");
                rename(client, "precious", "d");
            },
            &["d/x", "d/y"],
        ),
        (
            "delete",
            json!({"path": "a.txt", "keep": false}),
            |client| {
                rename(client, "a.txt", "b.txt");
                rename(client, "precious/x", "a.txt");
            },
            &["a.txt", "b.txt"],
        ),
        (
            "apply",
            json!({"edits": [{"path": "a.txt", "delete": true}, {"path": "d/x", "content": "new"}]}),
            |client| put(client, "a.txt", "work"),
            &["a.txt"],
        ),
        ("forget", json!({"everything": true}), |client| put(client, "d/z", "new"), &["d/z"]),
    ]
}

/// The same names and sizes, with other contents.
fn add_precious(scene: &Scene) {
    fs::create_dir(scene.scratch.granted().join("precious")).unwrap();
    for file in ["precious/x", "precious/y"] {
        fs::write(scene.scratch.granted().join(file), "work").unwrap();
    }
}

#[test]
fn a_yes_holds_for_what_was_there_when_it_was_asked_for() {
    for (tool, arguments, swap, left) in swaps() {
        let mut scene = Scene::begin(Some(json!({})));
        add_precious(&scene);
        put(&mut scene.client, "d/y", "text");
        let id = scene.client.begin(tool, &arguments);
        let (asked, _) = question(&scene.client);
        swap(&mut scene.client);
        scene.client.send(&json!({"jsonrpc": "2.0", "id": asked, "result": yes()}));
        let refused = scene.client.answer(id)["result"].take();
        assert_eq!(refused["structuredContent"]["code"], "stale", "{tool} {arguments}: {refused}");
        assert!(text(&refused).contains("the person is asked again"), "{refused}");
        assert!(left.iter().all(|file| scene.is_there(file)), "{tool} {arguments}");
        assert_eq!(scene.audit().last().unwrap().0, "stale");
        // After a new question, the consent holds for the present state.
        let id = scene.client.begin(tool, &arguments);
        let (asked, _) = question(&scene.client);
        scene.client.send(&json!({"jsonrpc": "2.0", "id": asked, "result": yes()}));
        let done = scene.client.answer(id)["result"].take();
        assert!(done.get("isError").is_none(), "{tool} {arguments}: {done}");
        assert!(tool == "forget" || !scene.is_there(left[0]), "{tool} {arguments}");
    }
}

#[test]
fn a_yes_that_comes_with_the_call_holds_for_the_same_alone() {
    for (tool, arguments, swap, left) in swaps() {
        let mut scene = Scene::begin(None);
        add_precious(&scene);
        put(&mut scene.client, "d/y", "text");
        let mut meta = meta(REVISIONS[0]);
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {"form": {}}});
        let mut params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let asked = scene.client.request("tools/call", &params)["result"].take();
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        swap(&mut scene.client);
        params["requestState"] = asked["requestState"].clone();
        params["inputResponses"] = json!({"confirm": yes()});
        let refused = scene.client.request("tools/call", &params)["result"].take();
        assert_eq!(refused["structuredContent"]["code"], "stale", "{tool} {arguments}: {refused}");
        assert!(left.iter().all(|file| scene.is_there(file)), "{tool} {arguments}");
    }
}

#[test]
fn a_question_names_what_would_be_gone_and_not_what_was_typed() {
    let mut scene = Scene::begin(Some(json!({})));
    add_precious(&scene);
    std::os::unix::fs::symlink("precious", scene.scratch.granted().join("junk")).unwrap();
    let around = format!("d/{}../precious", "./".repeat(97));
    let long = format!("{0}/{0}/{0}/precious", "n".repeat(120));
    put(&mut scene.client, &long, "x");
    for (tool, arguments, expected) in [
        ("delete_directory", json!({"path": around, "recursive": true}), "\n- `/w/precious`\n3 files"),
        (
            "delete",
            json!({"path": "junk/x"}),
            "\n- `/w/junk/x`\n  through the link `/w/junk`, which points to `precious`\n",
        ),
        (
            "delete",
            json!({"path": "d/../precious", "glob": "*"}),
            "\n- `/w/precious`\nthere all that `*` matches:\n- `/w/precious/x`\n",
        ),
        ("apply", json!({"edits": [{"path": "d/.././a.txt", "delete": true}]}), "\n- `/w/a.txt`\n"),
        ("delete", json!({"path": long}), "nnn/precious` (cut: 374 characters)\n1 file"),
    ] {
        let id = scene.client.begin(tool, &arguments);
        let (asked, words) = question(&scene.client);
        assert!(words.contains(expected), "{words}");
        scene.client.send(&json!({"jsonrpc": "2.0", "id": asked, "result": {"action": "decline"}}));
        scene.client.answer(id);
    }
    let edits: Vec<_> = (0..40)
        .map(|number| {
            put(&mut scene.client, &format!("d/{number}"), "x");
            json!({"path": format!("d/{number}"), "delete": true})
        })
        .collect();
    let refused = scene.client.call("apply", &json!({ "edits": edits }));
    assert_eq!(refused["structuredContent"]["code"], "too_large", "{refused}");
    assert!(scene.client.others().is_empty() && scene.is_there("d/39"));
}

#[test]
fn what_makes_undoing_impossible_is_asked_about() {
    let mut scene = Scene::begin(Some(json!({})));
    put(&mut scene.client, "d/z", "one");
    let written = scene.client.call("write", &json!({"path": "d/z", "content": "two"}));
    let entry = written["structuredContent"]["undo_id"].clone();
    for (arguments, expected) in [
        (json!({"everything": true}), "\n- the whole history, and what is kept for it\nThese are 2 changes."),
        (
            json!({"everything": true, "confirm": true}),
            "\n- the whole history, and what is kept for it\nThese are 2 changes.",
        ),
        (
            json!({"everything": "true"}),
            "\n- the whole history, and what is kept for it\nThese are 2 changes.",
        ),
        (json!({"path": "d/../d/z"}), "\n- the history of `/w/d/z`\nThese are 2 changes."),
        (json!({"before": "2100-01-01T00:00:00Z"}), "\n- the history before `2100-01-01T00:00:00Z`\nWhat"),
        (json!({"id": entry}), "\n- the entry "),
    ] {
        let id = scene.client.begin("forget", &arguments);
        let (asked, words) = question(&scene.client);
        assert!(words.contains(expected) && words.contains("can NOT be undone"), "{words}");
        scene.client.send(&json!({"jsonrpc": "2.0", "id": asked, "result": {"action": "decline"}}));
        let refused = scene.client.answer(id)["result"].take();
        assert_eq!(refused["structuredContent"]["code"], "confirmation_required", "{refused}");
        let waited = scene.audit().into_iter().filter(|(outcome, _)| outcome == "confirmation_required");
        assert!(waited.map(|(_, confirmed)| confirmed).all(|confirmed| confirmed.is_null()), "{arguments}");
    }
    assert_eq!(scene.client.call("undo", &json!({})).get("isError"), None);
    let id = scene.client.begin("forget", &json!({"everything": true}));
    let (asked, _) = question(&scene.client);
    scene.client.send(&json!({"jsonrpc": "2.0", "id": asked, "result": yes()}));
    let done = scene.client.answer(id)["result"].take();
    assert_eq!(done["structuredContent"]["forgotten"], 3, "{done}");
    assert_eq!(scene.audit().last().unwrap(), &("ok".to_owned(), json!("person")));
}

#[test]
fn where_nothing_is_kept_overwriting_is_asked_about() {
    let mut scene = Scene::new(&["--durability", "none"]);
    let mut params = handshake(HANDSHAKE);
    params["capabilities"]["elicitation"] = json!({});
    scene.client.request("initialize", &params);
    scene.client.notify("notifications/initialized", &json!({}));
    let fresh = json!({"source": "d/x", "destination": "new", "overwrite": true});
    assert_eq!(scene.client.call("copy", &fresh).get("isError"), None);
    for (tool, answer, is_done) in [("copy", json!({"action": "decline"}), false), ("move", yes(), true)] {
        let mut call = json!({"source": "d/x", "destination": "d/../a.txt"});
        if tool == "copy" {
            // A move overwrites by default.
            call["overwrite"] = true.into();
        }
        let id = scene.client.begin(tool, &call);
        let (asked, words) = question(&scene.client);
        assert!(words.contains("\n- `/w/a.txt`\nWhat is there will be overwritten. It can NOT"), "{words}");
        scene.client.send(&json!({"jsonrpc": "2.0", "id": asked, "result": answer}));
        let done = scene.client.answer(id)["result"].take();
        assert_eq!(done.get("isError").is_none(), is_done, "{done}");
    }
    assert!(!scene.is_there("d/x"));
}

/// The content of a file that exceeds a small history.
const PRECIOUS: &str = "precious";

/// A history that is too small, and none.
const WITHOUT_UNDO: [&[&str]; 2] = [&["--history-bytes", "2000"], &["--durability", "none"]];

/// A server with these arguments, a file `big` that its history does not keep, and one `small`, for
/// a client that can ask.
fn begin_with(words: &[&str]) -> Scene {
    let mut scene = Scene::new(words);
    for (file, content) in [("big", PRECIOUS.repeat(400)), ("small", "x".to_owned())] {
        fs::write(scene.scratch.granted().join(file), content).unwrap();
    }
    let mut params = handshake(HANDSHAKE);
    params["capabilities"]["elicitation"] = json!({});
    scene.client.request("initialize", &params);
    scene.client.notify("notifications/initialized", &json!({}));
    scene
}

#[test]
fn what_the_history_has_no_room_for_is_asked_about() {
    for words in WITHOUT_UNDO {
        for (tool, arguments) in [
            ("move", json!({"source": "a.txt", "destination": "big", "overwrite": true})),
            ("move", json!({"source": "a.txt", "destination": "big"})),
            ("copy", json!({"source": "a.txt", "destination": "big", "overwrite": true})),
        ] {
            for (answer, is_done) in [(json!({"action": "decline"}), false), (yes(), true)] {
                let mut scene = begin_with(words);
                let id = scene.client.begin(tool, &arguments);
                let (asked, reported) = question(&scene.client);
                assert!(
                    reported.contains("\n- `/w/big`\nWhat is there will be overwritten. It can NOT"),
                    "{reported}"
                );
                scene.client.send(&json!({"jsonrpc": "2.0", "id": asked, "result": answer}));
                let done = scene.client.answer(id)["result"].take();
                assert_eq!(done.get("isError").is_none(), is_done, "{words:?} {tool}: {done}");
                let found = fs::read_to_string(scene.scratch.granted().join("big")).unwrap();
                assert_eq!(found == "text", is_done, "{words:?} {tool}");
                assert_eq!(found.starts_with(PRECIOUS), !is_done, "{words:?} {tool}");
                // The note is in the text too, which some models get alone.
                assert_eq!(text(&done).contains("there is no undo]"), is_done, "{done}");
            }
        }
    }
}

#[test]
fn what_is_kept_or_not_there_is_not_asked_about() {
    for (words, tool, arguments) in [
        (&["--history-bytes", "2000"][..], "move", json!({"source": "a.txt", "destination": "small"})),
        (
            &["--history-bytes", "2000"],
            "copy",
            json!({"source": "a.txt", "destination": "small", "overwrite": true}),
        ),
        (&["--history-bytes", "2000"], "move", json!({"source": "big", "destination": "new"})),
        (
            &["--history-bytes", "2000"],
            "move",
            json!({"source": "d", "destination": "new", "recursive": true}),
        ),
        (&["--durability", "none"], "move", json!({"source": "big", "destination": "new"})),
        (&[], "move", json!({"source": "a.txt", "destination": "big"})),
        // A second name of the same file.
        (&[], "move", json!({"source": "big", "destination": "link"})),
    ] {
        let mut scene = begin_with(words);
        fs::hard_link(scene.scratch.granted().join("big"), scene.scratch.granted().join("link")).unwrap();
        let done = scene.client.call(tool, &arguments);
        assert!(done.get("isError").is_none(), "{words:?} {tool} {arguments}: {done}");
        assert_eq!(text(&done).contains("there is no undo"), words == WITHOUT_UNDO[1], "{words:?}: {done}");
        assert!(scene.client.others().is_empty());
    }
    // A call that fails anyway asks nothing.
    let mut scene = begin_with(WITHOUT_UNDO[0]);
    for (arguments, code) in [
        (json!({"source": "none", "destination": "big"}), "not_found"),
        (json!({"source": "a.txt", "destination": "big", "if_match": "0".repeat(32)}), "stale"),
        (json!({"source": 3}), "invalid_argument"),
    ] {
        let refused = scene.client.call("move", &arguments);
        assert_eq!(refused["structuredContent"]["code"], code, "{refused}");
    }
    assert!(scene.client.others().is_empty());
}

/// A question as the answer to a call that is never repeated.
#[test]
fn a_call_that_is_answered_with_a_question_is_written_down() {
    for (words, tool, arguments) in [
        (&[][..], "forget", json!({"everything": true})),
        (&[], "delete", json!({"path": "a.txt"})),
        (&["--history-bytes", "3"], "move", json!({"source": "a.txt", "destination": "d/x"})),
        (WITHOUT_UNDO[1], "copy", json!({"source": "a.txt", "destination": "d/x", "overwrite": true})),
    ] {
        let mut scene = Scene::new(words);
        let mut meta = meta(REVISIONS[0]);
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {"form": {}}});
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let asked = scene.client.request("tools/call", &params)["result"].take();
        assert_eq!(asked["resultType"], "input_required", "{tool}: {asked}");
        let expected = [("confirmation_required".to_owned(), Value::Null)];
        assert_eq!(scene.audit(), expected, "{tool} {arguments}");
    }
}

#[test]
fn a_question_that_cannot_be_written_down_is_not_asked() {
    let mut scene = Scene::new(&["--audit-required"]);
    let mut params = handshake(HANDSHAKE);
    params["capabilities"]["elicitation"] = json!({});
    scene.client.request("initialize", &params);
    scene.client.notify("notifications/initialized", &json!({}));
    let file = scene.scratch.path().join("kept/audit.jsonl");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    for (tool, arguments) in [
        ("forget", json!({"everything": true})),
        ("delete_directory", json!({"path": "d", "recursive": true})),
    ] {
        let refused = scene.client.call(tool, &arguments);
        assert_eq!(refused["structuredContent"]["code"], "io", "{refused}");
    }
    assert!(scene.client.others().is_empty());
}

#[test]
fn more_questions_than_a_person_can_have_are_refused_and_hold_up_nobody() {
    let mut scene = Scene::begin(Some(json!({})));
    for number in 0..300 {
        fs::write(scene.scratch.granted().join(format!("f{number}")), "x").unwrap();
    }
    let ids: Vec<_> =
        (0..300).map(|number| scene.client.begin("delete", &json!({"path": format!("f{number}")}))).collect();
    let (mut asked, mut refused) = (Vec::new(), 0);
    while asked.len() + refused < ids.len() {
        let message = scene.client.message().unwrap();
        if message["method"] == "elicitation/create" {
            asked.push(message["id"].clone());
        } else {
            let data = &message["result"]["structuredContent"];
            assert_eq!((&data["code"], &data["which"]), (&json!("limit"), &json!("concurrent")), "{message}");
            refused += 1;
        }
    }
    assert_eq!(asked.len(), 64);
    assert_eq!(scene.client.call("read", &json!({"path": "a.txt"}))["structuredContent"]["content"], "text");
    for id in asked {
        scene.client.send(&json!({"jsonrpc": "2.0", "id": id, "result": yes()}));
    }
    for _ in 0..64 {
        let message = scene.client.message().unwrap();
        assert_eq!(message["result"]["structuredContent"]["deleted"], 1, "{message}");
    }
    assert_eq!((0..300).filter(|number| scene.is_there(&format!("f{number}"))).count(), 300 - 64);
}

#[test]
fn a_client_that_goes_while_it_is_asked_has_not_agreed() {
    let mut scene = Scene::begin(Some(json!({})));
    scene.client.begin("delete", &json!({"path": "a.txt"}));
    question(&scene.client);
    let Scene { scratch, client } = scene;
    let (status, _) = client.close();
    assert!(status.success());
    assert!(scratch.granted().join("a.txt").exists());
}

#[test]
fn a_call_that_is_taken_back_while_somebody_is_asked_is_not_made() {
    let mut scene = Scene::begin(Some(json!({})));
    let id = scene.client.begin("delete", &json!({"path": "a.txt"}));
    let (asked, _) = question(&scene.client);
    scene.client.notify("notifications/cancelled", &json!({"requestId": id}));
    scene.client.send(&json!({"jsonrpc": "2.0", "id": asked, "result": yes()}));
    scene.client.call("exists", &json!({"path": "a.txt"}));
    assert!(scene.is_there("a.txt"));
}
