//! A root that has become part of a larger one: what was left unfinished in it is recovered by those who have the larger
//! one.

use std::fs;

use fsgate::{Access, Gate};
use serde_json::json;

use super::kills::{Moment, kill_after};
use super::scratch::{Scratch, check_settled, left, states};
use super::script::Writer;
use super::tree::Tree;
use super::{Random, soak};

#[test]
fn what_died_in_a_part_is_recovered_by_the_whole() {
    let wanted = if soak() { 60 } else { 4 };
    let (mut writer, mut random) = (Writer::new(3), Random(4));
    let (mut found, mut tries) = (0, 0);
    while found < wanted {
        tries += 1;
        assert!(tries < wanted * 20, "{found} of {tries} died in the middle");
        let scratch = Scratch::new();
        let tree = writer.beginning();
        for part in ["w/a", "w/b"] {
            fs::create_dir(scratch.at(part)).unwrap();
        }
        tree.write(&scratch.at("w/b"));
        // The state of the first part becomes that of the whole, the one of the second part is in use no more.
        let part = Gate::builder().dir_as(scratch.at("w/a"), "/w/a", Access::Write);
        part.state_root(scratch.at("state")).build().unwrap();
        let script = writer.script(&tree, 30);
        let answers = kill_after(&scratch, "w/b::/w/b", &[], &script, Moment::any(&mut random));
        let is_unfinished = states(&scratch.at("state")).iter().any(|state| left(state) != (0, false));
        if !is_unfinished {
            continue;
        }
        found += 1;
        let whole = scratch.gate();
        if found % 2 == 0 {
            whole.call("exists", r#"{"path": "b"}"#).unwrap();
        } else {
            let created = json!({"path": "a/new", "content": "new\n"}).to_string();
            whole.call("create", &created).unwrap();
        }
        let told = format!("{answers} answers");
        check_settled(&scratch.at("state"), &told);
        let reached = Tree::read(&scratch.at("w/b"));
        let mut trees = std::iter::once(&tree).chain(script.iter().map(|step| &step.after)).skip(answers);
        assert!(trees.any(|tree| *tree == reached), "{told}: no such tree");
    }
    eprintln!("{found} of {tries} died in the middle of a change in a part, and were recovered by the whole");
}
