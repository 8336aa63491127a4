//! A real session, message by message: `session.md`. One exchange is the example in `docs/mcp.md`.
//!
//! With `FSGATE_UPDATE=1` in the environment the test writes both, as `make reference` does.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use serde_json::{Value, json};

use super::client::{Client, HANDSHAKE, Scratch, handshake};

/// The tools that are served.
const TOOLS: &str = "read,read_numbered,grep,replace,move,delete";

/// The first line of the session.
const MADE: &str = "<!-- Made by `make reference` from a real session; a test compares. -->\n";

/// The section of the session whose messages are the example in the page about the server.
const EXAMPLE: &str = "## Changing what has changed meanwhile\n";

/// The marks around the example in that page.
const BEGIN: &str = "<!-- example: made by `make reference` from a real session; a test compares -->\n";
const END: &str = "<!-- end of example -->\n";

/// The time that replaces every time in the session.
const TIME: &str = "2026-11-20T08:30:00Z";

/// The id that replaces every id of a change.
const UNDO_ID: &str = "18b6a1f0c3d2e4000123456789abcdef";

struct Session {
    client: Client,
    text: String,
}

impl Session {
    fn say(&mut self, words: &str) {
        let _ = write!(self.text, "\n{words}\n");
    }

    fn show(&mut self, who: &str, message: &Value) {
        let mut message = message.clone();
        settle(&mut message);
        let _ = write!(self.text, "\n{who}:\n\n```json\n{message:#}\n```\n");
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.client.ask(method, params);
        self.show("client", &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.client.answer(id)
    }

    /// Makes a call, and returns the server's answer.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        self.show("server", &answer);
        answer
    }
}

/// Replaces values that differ from run to run.
fn settle(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match (&name[..], value.as_str()) {
                    ("modified", _) => *value = TIME.into(),
                    ("undo_id", _) => *value = UNDO_ID.into(),
                    ("text", Some(text)) => *value = without_ids(text).into(),
                    _ => settle(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(settle),
        _ => {}
    }
}

/// Replaces the id at the end of the text of an answer.
fn without_ids(text: &str) -> String {
    const MARK: &str = "[undo_id: ";
    match text.split_once(MARK) {
        Some((before, id)) => {
            let (id, behind) = id.split_at(id.find(']').unwrap_or(id.len()));
            format!("{before}{MARK}{}{behind}", &UNDO_ID[..id.len()])
        }
        None => text.to_owned(),
    }
}

/// The list of tools with one of them in full.
fn shortened(mut answer: Value) -> Value {
    for tool in answer["result"]["tools"].as_array_mut().unwrap() {
        if tool["name"] != "read_numbered" {
            *tool = json!({"name": tool["name"], "...": "..."});
        }
    }
    answer
}

fn session() -> String {
    let scratch = Scratch::new();
    let source = "fn area(width: u32, height: u32) -> u32 {\n    width + height\n}\n\nfn main() {\n    println!(\"{}\", area(3, 4));\n}\n";
    fs::write(scratch.granted().join("main.rs"), source).unwrap();
    fs::write(scratch.granted().join("notes.txt"), "line of notes\n".repeat(4000)).unwrap();
    let mut command = scratch.command();
    command.args(["mcp", "--dir", "w::/w", "--tools", TOOLS]);
    let mut session = Session { client: Client::start(command), text: MADE.to_owned() };
    session.say(&format!(
        "# A session of `fsgate mcp`\n\nThe messages over standard input and output of this server, each of which is one line there. All\n\
         times and all ids of changes are the same here.\n\n```sh\nfsgate mcp --dir /w --tools {TOOLS}\n```\n\n## The handshake"
    ));
    let reported = session.request("initialize", &handshake(HANDSHAKE));
    session.show("server", &reported);
    session.client.notify("notifications/initialized", &json!({}));
    session.show("client", &json!({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}));
    session.say("## The tools\n\nOne of them is shown in full.");
    let list = session.request("tools/list", &json!({}));
    session.show("server", &shortened(list));
    session.say("## Finding and looking");
    session.call("grep", &json!({"pattern": "area(", "include": ["*.rs"], "after": 1}));
    let read = session.call("read_numbered", &json!({"path": "main.rs", "lines": "1-3"}));
    let tag = read["result"]["structuredContent"]["etag"].as_str().unwrap().to_owned();
    session.say("## Changing what was seen");
    session.call(
        "replace",
        &json!({"path": "main.rs", "old": "width + height", "new": "width * height", "if_match": tag, "diff": true}),
    );
    session.say(&format!("{EXAMPLE}\nThe tag is the old one: nothing is written."));
    session.call(
        "replace",
        &json!({"path": "main.rs", "old": "area(3, 4)", "new": "area(5, 6)", "if_match": tag}),
    );
    session.say("## Text that is not there\n\nThe error shows the place that was probably meant.");
    session.call(
        "replace",
        &json!({"path": "main.rs", "old": "fn main() {\n\tprintln!", "new": "fn main() {\n\tprint!"}),
    );
    session.say("## An answer that does not fit\n\n`next_cursor` goes on where it ends.");
    let read = session.call("read", &json!({"path": "notes.txt", "max_bytes": 30}));
    let cursor = read["result"]["structuredContent"]["next_cursor"].as_str().unwrap().to_owned();
    session.call("read", &json!({"path": "notes.txt", "max_bytes": 30, "cursor": cursor}));
    session.say("## Moving and deleting");
    session.call("move", &json!({"source": "notes.txt", "destination": "old/notes.txt"}));
    session.call("delete", &json!({"path": "old/notes.txt"}));
    session.say("## Outside of what was granted");
    session.call("read", &json!({"path": "/etc/passwd"}));
    session.say("## A tool that there is not\n\nThat is an error of the protocol.");
    session.call("raed", &json!({"path": "main.rs"}));
    assert!(session.client.close().0.success());
    session.text
}

/// The messages of the example, in one block.
fn example(session: &str) -> String {
    let (_, rest) = session.split_once(EXAMPLE).unwrap();
    let section = rest.split("\n## ").next().unwrap();
    let messages = section.split("```json\n").skip(1).filter_map(|block| Some(block.split_once("```")?.0));
    format!("\n```json\n{}```\n\n", messages.collect::<String>())
}

#[test]
fn the_session_is_the_one_that_is_written_down() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (session_path, page_path) = (here.join("tests/mcp/session.md"), here.join("../docs/mcp.md"));
    let session = session();
    let page = fs::read_to_string(&page_path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let made = format!("{before}{BEGIN}{}{END}{after}", example(&session));
    for (path, made) in [(session_path, session), (page_path, made)] {
        if env::var_os("FSGATE_UPDATE").is_some() {
            fs::write(&path, made).unwrap();
        } else {
            let found = fs::read_to_string(&path).unwrap();
            assert!(found == made, "{} is out of date: run `make reference`", path.display());
        }
    }
}
