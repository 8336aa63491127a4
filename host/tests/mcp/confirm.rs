//! A person agrees to what needs it, where the client can ask; else the model does.

use std::fs;

use serde_json::{Value, json};

use super::client::{Client, HANDSHAKE, REVISIONS, Scratch, handshake, meta, text};

const POLICY: &str = r#"{"confirm_delete": true}"#;

/// A server over `w` with a file `a.txt` and a directory `d` with two, under a policy that asks before it deletes.
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
        command.args(["--audit", "audit.jsonl"]).args(words);
        Self { client: Client::start(command), scratch }
    }

    /// After the handshake of a client that can ask as this says.
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

    /// Outcome and who has agreed, of each line of the audit.
    fn audit(&self) -> Vec<(String, Value)> {
        let text = fs::read_to_string(self.scratch.path().join("audit.jsonl")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.map(|line| (line["outcome"].as_str().unwrap().to_owned(), line["confirmed"].clone())).collect()
    }
}

/// The question that the server asks now: its number and its words.
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
        assert!(words.contains("`delete_directory`") && words.contains("\n- d\n"), "{words}");
        assert!(words.contains("It can be undone."), "{words}");
        // Others go on meanwhile.
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
    // What was answered, made up, or answered for another call does not count: it is asked once more.
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
