//! A difference between typed calls and calls in JSON, which no case can state: cases run in both.

use fsgate::ReadArgs;
use fsgate_tests::disk::Disk;
use fsgate_tests::tree::Tree;
use serde_json::Value;

#[test]
fn typed_calls_show_more_than_calls_in_json() {
    let tree = Tree::parse("file w/a.txt \"$repeat(30000, 123456789\\n)\"").unwrap();
    let disk = Disk::new(&tree).unwrap();
    let gate = disk.gate(&tree).unwrap();
    let args = ReadArgs { path: "a.txt".into(), ..Default::default() };
    assert_eq!(gate.read(&args).unwrap().content.len(), 262_140);
    let outcome: Value = serde_json::from_str(&gate.call("read", r#"{"path": "a.txt"}"#).unwrap()).unwrap();
    assert_eq!(outcome["content"].as_str().map(str::len), Some(40_000));
}
