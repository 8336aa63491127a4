//! A client's roots narrow the grants, and never widen them.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fsgate::Gate;
use fsgate::mcp::{Server, ToolSet};
use serde_json::{Value, json};

use super::client::{Client, HANDSHAKE, REVISIONS, Scratch, handshake, meta, text};

/// The server's wait for roots, with a margin for slow machines.
const PATIENCE: Duration = Duration::from_secs(5);

/// The content of every file.
const CONTENT: &str = "found\n";

/// `w/a`, `w/b`, `w/ö #` and `out` with a file each, a link `w/to-a`, a link that leads out, and a
/// file beside.
struct Tree {
    scratch: Scratch,
    at: PathBuf,
}

impl Tree {
    fn new() -> Self {
        let scratch = Scratch::new();
        let at = scratch.path().canonicalize().unwrap();
        for directory in ["w/a/deep", "w/b", "w/ö #", "out"] {
            fs::create_dir_all(at.join(directory)).unwrap();
            fs::write(at.join(directory).join("f"), CONTENT).unwrap();
        }
        fs::write(at.join("w/a/f"), CONTENT).unwrap();
        fs::write(at.join("w/f"), CONTENT).unwrap();
        for (target, link) in [("a", "w/to-a"), ("../out", "w/to-out"), ("w", "to-w")] {
            std::os::unix::fs::symlink(target, at.join(link)).unwrap();
        }
        Self { scratch, at }
    }

    /// Replaces `@` by the tree's path.
    fn uri(&self, uri: &str) -> String {
        uri.replace('@', self.at.to_str().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.uri(&format!("@/{name}"))
    }

    fn start(&self, words: &[&str]) -> Client {
        let mut command = self.scratch.command();
        command.args(["mcp", "--tools", "all"]).args(words);
        Client::start(command)
    }

    /// A server whose client has sent these roots.
    fn serve(&self, words: &[&str], roots: &[&str]) -> Client {
        let mut client = self.start(words);
        begin(&mut client);
        self.tell(&mut client, roots);
        client
    }

    /// Answers the pending question for roots.
    fn tell(&self, client: &mut Client, roots: &[&str]) {
        let id = question(client);
        client.send(&self.answer(&id, roots));
    }

    fn answer(&self, id: &Value, roots: &[&str]) -> Value {
        let roots: Vec<_> = roots.iter().map(|root| json!({"uri": self.uri(root)})).collect();
        json!({"jsonrpc": "2.0", "id": id, "result": {"roots": roots}})
    }

    /// Checks that these paths are readable, or fail with a code.
    fn reads(&self, client: &mut Client, expected: &[(&str, &str)], why: &str) {
        for (name, expected) in expected {
            assert_eq!(
                &outcome(client, "read", &json!({"path": self.path(name)})),
                expected,
                "{why}: {name}"
            );
        }
    }
}

/// The handshake of a client with roots.
fn begin(client: &mut Client) -> Value {
    let mut params = handshake(HANDSHAKE);
    params["capabilities"] = json!({"roots": {"listChanged": true}});
    let reported = client.request("initialize", &params);
    client.notify("notifications/initialized", &json!({}));
    reported
}

/// The id of the server's question for roots.
fn question(client: &mut Client) -> Value {
    let message = client.message().unwrap();
    assert_eq!(message["method"], "roots/list", "{message}");
    message["id"].clone()
}

fn changed(client: &mut Client) {
    client.notify("notifications/roots/list_changed", &json!({}));
}

/// An empty text, or the code of the error.
fn outcome(client: &mut Client, tool: &str, arguments: &Value) -> String {
    let result = client.call(tool, arguments);
    result["structuredContent"]["code"].as_str().unwrap_or_default().to_owned()
}

/// The code of an error for a path outside.
const CLOSED: &str = "not_granted";

const DIR: &str = "--dir";
const READ: &str = "--read-only-dir";

#[test]
fn what_lies_in_both_is_open() {
    type Case = (&'static [&'static str], &'static [&'static str], &'static [(&'static str, &'static str)]);
    let cases: [Case; 19] = [
        // The grant itself, and around it.
        (&[DIR, "w"], &["file://@/w"], &[("w/f", ""), ("w/a/f", ""), ("out/f", CLOSED)]),
        (&[DIR, "w"], &["file://@"], &[("w/f", ""), ("out/f", CLOSED)]),
        (&[DIR, "w"], &["file:///"], &[("w/f", ""), ("out/f", CLOSED)]),
        // Inside.
        (
            &[DIR, "w"],
            &["file://@/w/a"],
            &[("w/a/f", ""), ("w/a/deep/f", ""), ("w/f", CLOSED), ("w/b/f", CLOSED)],
        ),
        (
            &[DIR, "w"],
            &["file://@/w/a/deep", "file://@/w/b"],
            &[("w/a/deep/f", ""), ("w/b/f", ""), ("w/a/f", CLOSED)],
        ),
        (&[DIR, "w"], &["file://@/w/%C3%B6%20%23"], &[("w/ö #/f", ""), ("w/f", CLOSED)]),
        (&[DIR, "w"], &["file://@/w/ö #"], &[("w/ö #/f", ""), ("w/f", CLOSED)]),
        // Through a link: its target only, and not if a tool could have made the link, now or
        // earlier.
        (&[DIR, "w"], &["file://@/to-w/a"], &[("w/a/f", ""), ("to-w/a/f", CLOSED), ("w/f", CLOSED)]),
        (&[DIR, "w"], &["file://@/w/to-a", "file://@/w/b"], &[("w/a/f", CLOSED), ("w/b/f", "")]),
        (&[READ, "w"], &["file://@/w/to-a", "file://@/w/b"], &[("w/a/f", CLOSED), ("w/b/f", "")]),
        (&[DIR, "w"], &["file://@/w/to-out"], &[("out/f", CLOSED), ("w/f", CLOSED)]),
        (&[DIR, "w"], &["file://@/w/a/../b"], &[("w/b/f", CLOSED)]),
        // Outside, beside a root that counts.
        (
            &[DIR, "w"],
            &["file://@/out", "file://@/w/a"],
            &[("w/a/f", ""), ("out/f", CLOSED), ("w/b/f", CLOSED)],
        ),
        // A root that is no directory here has no effect.
        (
            &[DIR, "w"],
            &["https://x/w", "file://host@/w", "file://@/w/f", "file://@/none", "nonsense", "file://@/w/b"],
            &[("w/b/f", ""), ("w/f", CLOSED)],
        ),
        (&[DIR, "w"], &["file://@/w/f"], &[("w/f", CLOSED)]),
        (&[DIR, "w"], &[], &[("w/f", CLOSED), ("w/a/f", CLOSED)]),
        // Several grants: one without a root is closed.
        (&[DIR, "w/a", READ, "w/b"], &["file://@/w/b"], &[("w/b/f", ""), ("w/a/f", CLOSED)]),
        (
            &[READ, "w", DIR, "w/a"],
            &["file://@/w/a/deep"],
            &[("w/a/deep/f", ""), ("w/a/f", CLOSED), ("w/b/f", CLOSED)],
        ),
        // With `--ignore-roots` the server does not ask.
        (&[DIR, "w", "--ignore-roots"], &["-"], &[("w/f", ""), ("out/f", CLOSED)]),
    ];
    for (words, roots, expected) in cases {
        let tree = Tree::new();
        let mut client = tree.start(words);
        begin(&mut client);
        if roots != ["-"] {
            tree.tell(&mut client, roots);
        }
        tree.reads(&mut client, expected, &format!("{words:?} in {roots:?}"));
        let (status, rest) = client.close();
        assert!(status.success() && rest.is_empty(), "{rest:?}");
    }
}

#[test]
fn a_hidden_directory_counts_for_nothing() {
    let tree = Tree::new();
    let hidden =
        format!("[[policy.rules]]\nname = 'h'\neffect = 'hidden'\npaths = ['{}']\n", tree.path("out"));
    fs::write(tree.at.join("c.toml"), hidden).unwrap();
    for roots in [&["file://@/w"][..], &["file://@/out", "file://@/w"]] {
        let mut command = tree.scratch.command();
        command.args(["mcp", "--tools", "all", READ, "out", DIR, "w", "--config", "c.toml"]);
        let (mut client, mut errors) = Client::listen(command);
        begin(&mut client);
        tree.tell(&mut client, roots);
        tree.reads(&mut client, &[("w/f", "")], &format!("{roots:?}"));
        assert_ne!(outcome(&mut client, "read", &json!({"path": tree.path("out/f")})), "");
        client.close();
        let mut reported = String::new();
        errors.read_to_string(&mut reported).unwrap();
        assert!(!reported.contains("/out"), "{reported}");
    }
}

#[test]
fn rights_and_names_are_those_of_the_grant() {
    let tree = Tree::new();
    let mut client = tree.serve(&[READ, "w::docs", DIR, "out"], &["file://@/w/a"]);
    let write = |path: &str| json!({"path": path, "content": "x"});
    assert_eq!(outcome(&mut client, "write", &write("/docs/a/new")), "read_only");
    assert_eq!(outcome(&mut client, "read", &json!({"path": "/docs/a/f"})), "");
    assert_eq!(outcome(&mut client, "read", &json!({"path": "/docs/f"})), CLOSED);
    // Relative paths start at the first remaining directory.
    assert_eq!(outcome(&mut client, "read", &json!({"path": "deep/f"})), "");
    let refused = client.call("read", &json!({"path": "../b/f"}));
    assert!(text(&refused).contains("/docs/a"), "{refused}");

    // The deeper of two grants around a root decides the access.
    let mut client = tree.serve(&[READ, "w", DIR, "w/a"], &["file://@/w/a/deep", "file://@/w/b"]);
    assert_eq!(outcome(&mut client, "write", &write(&tree.path("w/a/deep/new"))), "");
    assert_eq!(outcome(&mut client, "write", &write(&tree.path("w/b/new"))), "read_only");
    assert!(tree.at.join("w/a/deep/new").exists() && !tree.at.join("w/b/new").exists());

    // A grant through a link is narrowed under both names.
    let mut client = tree.serve(&["--dir", "w/to-a"], &["file://@/w/a/deep"]);
    tree.reads(&mut client, &[("w/a/deep/f", ""), ("w/to-a/deep/f", ""), ("w/a/f", CLOSED)], "by a link");
}

#[test]
fn roots_that_change_count_from_then_on() {
    let tree = Tree::new();
    let mut client = tree.serve(&["--dir", "w"], &["file://@/w/a"]);
    tree.reads(&mut client, &[("w/a/f", ""), ("w/b/f", CLOSED)], "first");
    // The call follows the change, and waits for the new roots.
    changed(&mut client);
    let [a, b] = ["w/a/f", "w/b/f"].map(|name| client.begin("read", &json!({"path": tree.path(name)})));
    let id = question(&mut client);
    client.is_silent();
    client.send(&tree.answer(&id, &["file://@/w/b"]));
    assert_eq!(client.answer(a)["result"]["structuredContent"]["code"], CLOSED);
    assert_eq!(client.answer(b)["result"]["structuredContent"]["content"], CONTENT);
    // No intersection, then everything again.
    for (roots, expected) in [("file://@/out", CLOSED), ("file://@", "")] {
        changed(&mut client);
        tree.tell(&mut client, &[roots]);
        tree.reads(&mut client, &[("w/f", expected), ("w/a/f", expected), ("out/f", CLOSED)], roots);
    }
    // Two changes at once cause at most two questions, and the last answer counts.
    changed(&mut client);
    let first = question(&mut client);
    changed(&mut client);
    changed(&mut client);
    let read = client.begin("read", &json!({"path": tree.path("w/a/f")}));
    client.is_silent();
    client.send(&tree.answer(&first, &["file://@/w/a"]));
    tree.tell(&mut client, &["file://@/w/b"]);
    assert_eq!(client.answer(read)["result"]["structuredContent"]["code"], CLOSED);
    let (status, rest) = client.close();
    assert!(status.success() && rest.is_empty(), "{rest:?}");
}

#[test]
fn calls_wait_for_the_answer_and_keep_their_order() {
    let tree = Tree::new();
    let mut client = tree.start(&["--dir", "w"]);
    begin(&mut client);
    let path = tree.path("w/a/new");
    let write = client.begin("write", &json!({"path": path, "content": CONTENT}));
    let outside = client.begin("write", &json!({"path": tree.path("w/b/new"), "content": "x"}));
    let read = client.begin("read", &json!({"path": path}));
    let id = question(&mut client);
    client.is_silent();
    assert!(!tree.at.join("w/a/new").exists() && !tree.at.join("w/b/new").exists());
    client.send(&tree.answer(&id, &["file://@/w/a"]));
    assert_eq!(client.answer(write)["result"].get("isError"), None);
    assert_eq!(client.answer(outside)["result"]["structuredContent"]["code"], CLOSED);
    assert_eq!(client.answer(read)["result"]["structuredContent"]["content"], CONTENT);
    assert!(!tree.at.join("w/b/new").exists());
}

#[test]
fn while_a_client_does_not_answer_nothing_is_open() {
    let tree = Tree::new();
    let mut client = tree.start(&["--dir", "w"]);
    begin(&mut client);
    let id = question(&mut client);
    let begun = Instant::now();
    let refused = client.call("read", &json!({"path": tree.path("w/f")}));
    assert!(text(&refused).contains("not_granted: the client has roots, and has not told them"), "{refused}");
    assert!(text(&refused).contains("`--ignore-roots`"), "{refused}");
    assert!(begun.elapsed() >= PATIENCE, "{:?}", begun.elapsed());
    // The second call does not wait again.
    let begun = Instant::now();
    tree.reads(&mut client, &[("w/f", CLOSED), ("w/b/f", CLOSED)], "no answer, later");
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    // A late answer still counts.
    client.send(&tree.answer(&id, &["file://@/w/a"]));
    let begun = Instant::now();
    while !outcome(&mut client, "read", &json!({"path": tree.path("w/a/f")})).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
    tree.reads(&mut client, &[("w/b/f", CLOSED)], "a late answer");
    // A change invalidates the earlier answer.
    changed(&mut client);
    let id = question(&mut client);
    tree.reads(&mut client, &[("w/a/f", CLOSED)], "no second answer");
    client.send(&tree.answer(&id, &["file://@/w/b"]));
    let begun = Instant::now();
    while !outcome(&mut client, "read", &json!({"path": tree.path("w/b/f")})).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
    // A lost client is not waited for.
    changed(&mut client);
    let begun = Instant::now();
    assert!(client.close().0.success());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn an_answer_is_read_behind_any_number_of_calls() {
    let tree = Tree::new();
    let mut client = tree.start(&["--dir", "w", "--audit", "kept/audit.jsonl"]);
    begin(&mut client);
    let id = question(&mut client);
    let begun = Instant::now();
    let reads: Vec<_> = (0..600)
        .map(|number| {
            let path = tree.path(if number % 2 == 0 { "w/a/f" } else { "w/b/f" });
            client.begin("read", &json!({"path": path}))
        })
        .collect();
    // So are other requests and cancellations.
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
    assert!(client.request("tools/list", &json!({}))["result"]["tools"].is_array());
    let taken_back = [reads[0], reads[599]];
    for id in taken_back {
        client.notify("notifications/cancelled", &json!({"requestId": id}));
    }
    client.send(&tree.answer(&id, &["file://@/w/a"]));
    for (number, id) in reads[1..599].iter().enumerate() {
        let answer = client.answer(*id);
        let data = &answer["result"]["structuredContent"];
        match number % 2 {
            0 => assert_eq!(data["code"], CLOSED, "{answer}"),
            _ => assert_eq!(data["content"], CONTENT, "{answer}"),
        }
    }
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
    let is_taken_back = |message: &Value| taken_back.iter().any(|id| message["id"] == *id);
    assert!(!client.others().iter().any(is_taken_back));
    // Each has a line in the audit, whatever the result.
    let audit = fs::read_to_string(tree.at.join("kept/audit.jsonl")).unwrap();
    let cancelled: Vec<_> = audit.lines().filter(|line| line.contains(r#""outcome":"cancelled""#)).collect();
    assert_eq!((audit.lines().count(), cancelled.len()), (600, 2), "{cancelled:?}");
    assert!(cancelled.iter().all(|line| line.contains("tests 1") && line.contains("/f")), "{cancelled:?}");
}

#[test]
fn what_does_not_fit_in_line_is_refused_at_once() {
    let tree = Tree::new();
    let builder = Gate::builder().dir(tree.at.join("w"));
    let gate = builder.state_root(tree.at.join("state")).build().unwrap();
    let server = Server::new(gate, &"all".parse::<ToolSet>().unwrap()).unwrap();
    // Slow machines take longer for so many calls than they wait.
    let mut client = Client::embedded(server.patience(Duration::from_secs(600)));
    begin(&mut client);
    let id = question(&mut client);
    let large = "x".repeat(33 << 20);
    let writes: Vec<_> = (0..3)
        .map(|number| {
            let path = tree.path(&format!("w/{number}"));
            client.begin("create", &json!({"path": path, "content": large}))
        })
        .collect();
    let refused = client.answer(writes[2])["result"].take();
    let data = &refused["structuredContent"];
    assert_eq!((&data["code"], &data["which"]), (&json!("limit"), &json!("concurrent")), "{refused}");
    assert!(text(&refused).contains("call again when one of them is answered"), "{refused}");
    // A small call fits behind them.
    let read = client.begin("read", &json!({"path": tree.path("w/f")}));
    client.send(&tree.answer(&id, &["file://@"]));
    assert_eq!(client.answer(read)["result"]["structuredContent"]["content"], CONTENT);
    for id in &writes[..2] {
        assert!(client.answer(*id).get("result").is_some());
    }
    // Messages other than calls are not delayed either.
    changed(&mut client);
    let id = question(&mut client);
    let path = tree.path("w/f");
    let many: Vec<_> = (0..256 + 16_384 + 20).map(|_| client.begin("stat", &json!({"path": path}))).collect();
    for id in &many[256 + 16_384..] {
        let refused = client.answer(*id)["result"].take();
        assert_eq!(refused["structuredContent"]["which"], "concurrent", "{refused}");
    }
    client.send(&tree.answer(&id, &["file://@"]));
    for id in &many[..256 + 16_384] {
        let answer = client.answer(*id)["result"].take();
        assert_eq!(answer["structuredContent"]["entry"]["kind"], "file", "{answer}");
    }
}

#[test]
fn an_error_opens_nothing() {
    let tree = Tree::new();
    let error = json!({"code": -32601, "message": "roots/list is not known here"});
    for answer in
        [json!({"error": error}), json!({"result": {}}), json!({"result": {"roots": [{"name": "x"}]}})]
    {
        let mut client = tree.start(&["--dir", "w"]);
        begin(&mut client);
        let refuse = |client: &mut Client| {
            let mut message = answer.clone();
            message["jsonrpc"] = "2.0".into();
            message["id"] = question(client);
            client.send(&message);
        };
        refuse(&mut client);
        let begun = Instant::now();
        tree.reads(&mut client, &[("w/f", CLOSED), ("out/f", CLOSED)], "at first");
        // An error does not widen an earlier narrowing.
        changed(&mut client);
        tree.tell(&mut client, &["file://@/w/a"]);
        changed(&mut client);
        refuse(&mut client);
        tree.reads(&mut client, &[("w/a/f", ""), ("w/f", CLOSED)], "later");
        assert!(begun.elapsed() < PATIENCE, "{answer}: {:?}", begun.elapsed());
    }
}

#[test]
fn who_has_no_roots_is_not_asked() {
    let tree = Tree::new();
    let mut client = tree.start(&["--dir", "w"]);
    let reported = client.initialize(HANDSHAKE);
    assert!(!reported["instructions"].as_str().unwrap().contains("roots"), "{reported}");
    changed(&mut client);
    tree.reads(&mut client, &[("w/f", "")], "no roots");
    client.is_silent();

    // The newest version has no requests of the server.
    let mut client = tree.start(&["--dir", "w"]);
    let mut meta = meta(REVISIONS[0]);
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({"roots": {}});
    let call = json!({"name": "read", "arguments": {"path": "f"}, "_meta": meta});
    assert_eq!(client.request("tools/call", &call)["result"]["structuredContent"]["content"], CONTENT);
    client.is_silent();
}

#[test]
fn what_roots_leave_is_told() {
    let tree = Tree::new();
    let listen = |roots: &[&str]| {
        let mut command = tree.scratch.command();
        command.args(["mcp", "--dir", "w", "--read-only-dir", "out::docs"]);
        let (mut client, mut errors) = Client::listen(command);
        let reported = begin(&mut client);
        let instructions = reported["result"]["instructions"].as_str().unwrap().to_owned();
        assert!(instructions.contains("roots may narrow"), "{instructions}");
        tree.tell(&mut client, roots);
        let result = client.call("read", &json!({"path": "f"}));
        assert!(client.close().0.success());
        let mut log = String::new();
        errors.read_to_string(&mut log).unwrap();
        (result, log)
    };
    let (result, log) = listen(&["file://@"]);
    assert_eq!((result.get("isError"), log.as_str()), (None, ""));
    let (_, log) = listen(&["file://@/out", "file://@/w/a", "https://x\u{1b}[2J"]);
    assert!(
        log.contains(&format!("roots leave {} (read and write), docs (read only) open\n", tree.path("w/a"))),
        "{log}"
    );
    assert!(log.contains("`https://x\\u{1b}[2J` opens nothing: only `file` URIs"), "{log}");
    let (result, log) = listen(&["file:///proc"]);
    assert!(log.contains("nothing in common") && log.contains("--ignore-roots"), "{log}");
    let expected = [
        "not_granted: the client's roots exclude every granted directory",
        &tree.path("w"),
        "docs (read only)",
        "`--ignore-roots`",
    ];
    assert!(expected.iter().all(|part| text(&result).contains(part)), "{result}");
}

#[test]
fn a_directory_that_was_a_root_and_is_replaced_opens_nothing_else() {
    let tree = Tree::new();
    let mut client = tree.serve(&["--dir", "w"], &["file://@/w/a"]);
    tree.reads(&mut client, &[("w/a/f", "")], "before");
    // The directory is open, not its name.
    fs::rename(tree.at.join("w/a"), tree.at.join("w/moved")).unwrap();
    std::os::unix::fs::symlink(tree.at.join("out"), tree.at.join("w/a")).unwrap();
    fs::write(tree.at.join("out/secret"), CONTENT).unwrap();
    tree.reads(&mut client, &[("w/a/f", ""), ("w/a/secret", "not_found")], "after");
    changed(&mut client);
    tree.tell(&mut client, &["file://@/w/a"]);
    tree.reads(&mut client, &[("w/a/secret", CLOSED), ("out/secret", CLOSED)], "asked again");
    assert!(Path::new(&tree.path("w/moved/f")).exists());
}
