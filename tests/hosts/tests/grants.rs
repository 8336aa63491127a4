//! What `wasmtime run` hands in, and what the component makes of it.

use std::fs;

use anyhow::Result;
use fsgate_tests::disk::Disk;
use fsgate_tests::tree::Tree;

use crate::program::{FSGATE, finished, invoked, text, wasmtime};

const TREE: &str = "file w/a.txt \"one\\n\"\nfile w/d/b.txt \"two\\n\"\nfile v/c.txt \"three\\n\"\nfile o/secret \"classified\\n\"\n\
    link w/out -> ../o/secret\nlink w/away -> $root/o\n";

#[test]
fn the_grants_decide_what_has_a_name() {
    let disk = Disk::new(&Tree::parse(TREE).unwrap()).unwrap();
    let directory = |name: &str| disk.path().join(name).display().to_string();
    let (w, v) = (format!("{}::/w", directory("w")), format!("{}::/v", directory("v")));
    for (grants, path, expected) in [
        (&[][..], "/w/a.txt", "code: not-granted"),
        (&[], "a.txt", "code: not-granted"),
        (&[&w], "/w/a.txt", "content: \"one\\n\""),
        (&[&w], "a.txt", "content: \"one\\n\""),
        (&[&w], "d/../a.txt", "content: \"one\\n\""),
        (&[&w], "/v/c.txt", "code: not-granted"),
        (&[&w], "../o/secret", "code: not-granted"),
        (&[&w], "out", "code: path-escape"),
        (&[&w], "away/secret", "code: path-escape"),
        (&[&w], &format!("{}/secret", directory("o")), "code: not-granted"),
        (&[&w, &v], "/v/c.txt", "content: \"three\\n\""),
        (&[&w, &v], "c.txt", "code: not-found"),
        (&[&v, &w], "c.txt", "content: \"three\\n\""),
        // One name for two directories: nobody can say which is meant.
        (&[&w, &format!("{}::/w", directory("v"))], "/w/a.txt", "code: not-granted"),
        // Without a name, a directory has its own.
        (&[&directory("w")], &format!("{}/a.txt", directory("w")), "content: \"one\\n\""),
        (&[&format!("{}::.", directory("w"))], "a.txt", "content: \"one\\n\""),
        (&[&format!("{}::/", directory("w"))], "/d/b.txt", "content: \"two\\n\""),
    ] {
        let grants: Vec<_> = grants.iter().map(|&grant| grant.clone()).collect();
        let printed = read(&grants, path).unwrap();
        assert!(printed.contains(expected), "{grants:?}, {path}: {expected} is not in {printed}");
        assert!(!printed.contains("classified"), "{grants:?}, {path}: {printed}");
    }
}

fn read(grants: &[String], path: &str) -> Result<String> {
    invoked(grants, &format!("read({{path: \"{path}\"}})"))
}

#[test]
fn the_component_runs_as_it_is() {
    let disk = Disk::new(&Tree::parse(TREE).unwrap()).unwrap();
    let mut run = wasmtime();
    run.current_dir(disk.path().join("w")).args(["run", "--dir", "."]);
    run.args(["--invoke", r#"replace({path: "a.txt", old: "one", new: "1"})"#]).arg(&*FSGATE);
    let output = finished(run).unwrap();
    let printed = text(&output.stdout);
    assert!(
        output.status.success() && printed.starts_with("ok({path: \""),
        "{printed}{}",
        text(&output.stderr)
    );
    assert_eq!(fs::read_to_string(disk.path().join("w/a.txt")).unwrap(), "1\n");
}
