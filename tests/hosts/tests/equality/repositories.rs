//! Five source repositories as they are published, each among files that searches stumble over.

use std::path::PathBuf;
use std::process::Command;

use fsgate::Gate;
use fsgate_tests::disk::Disk;
use fsgate_tests::sources::sources;
use fsgate_tests::tree::Tree;

/// What stands beside a repository's own files, in the notation of the case corpus.
const ADDED: &str = include_str!("added.tree");

/// No other program keeps a policy.
const OPEN: &str = r#"{"profile": "open"}"#;

/// The granted directory. The program git has made it a repository; the published files are in `crate`.
pub(crate) struct Repository {
    pub(crate) gate: Gate,
    pub(crate) directory: PathBuf,
    _disk: Disk,
}

impl Repository {
    pub(crate) fn new(name: &str) -> Self {
        let lines = ADDED.lines().filter(|line| !line.starts_with('#'));
        let tree = Tree::parse(&lines.collect::<Vec<_>>().join("\n")).unwrap();
        let disk = Disk::new(&tree).unwrap();
        let directory = disk.path().join("w");
        let source = sources(name).unwrap_or_else(|| panic!("{name} is not in cargo's registry folder"));
        run(Command::new("cp").arg("-r").arg(source).arg(directory.join("crate")));
        run(Command::new("git").args(["init", "--quiet"]).arg(&directory));
        std::fs::write(directory.join(".git/info/exclude"), "excluded.txt\n").unwrap();
        Self { gate: disk.gate_under(&tree, Some(OPEN)).unwrap(), directory, _disk: disk }
    }
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}
