//! The server inside of another program, over its streams.

use fsgate::Gate;
use fsgate::mcp::{Server, ToolSet};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};

use super::client::{HANDSHAKE, Scratch, handshake};

#[test]
fn any_two_streams_will_do() {
    let scratch = Scratch::new();
    std::fs::write(scratch.granted().join("a.txt"), "one\n").unwrap();
    let builder = Gate::builder().dir_as(scratch.granted(), "/w", fsgate::Access::Write);
    let gate = builder.state_root(scratch.path().join("state")).build().unwrap();
    let server = Server::new(gate, &"read,stat".parse::<ToolSet>().unwrap()).unwrap();
    assert_eq!(server.tools().iter().map(|tool| tool.name).collect::<Vec<_>>(), ["read", "stat"]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (ours, theirs) = duplex(4096);
        let (reader, writer) = split(theirs);
        let serving = tokio::spawn(server.serve(reader, writer));
        let (answers, mut requests) = split(ours);
        let mut answers = BufReader::new(answers).lines();
        for (id, method, params, expected) in [
            (1, "initialize", handshake(HANDSHAKE), "/result/instructions"),
            (
                2,
                "tools/call",
                json!({"name": "read", "arguments": {"path": "a.txt"}}),
                "/result/content/0/text",
            ),
        ] {
            let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            requests.write_all(format!("{request}\n").as_bytes()).await.unwrap();
            let answer: Value = serde_json::from_str(&answers.next_line().await.unwrap().unwrap()).unwrap();
            assert!(answer.pointer(expected).is_some(), "{answer}");
        }
        requests.shutdown().await.unwrap();
        serving.await.unwrap().unwrap();
    });
}
