//! Cases in `tests/cases/<front end>`: named blocks, and trees of files.

use std::collections::BTreeMap;
use std::path::Path;

pub(crate) use super::front_end::FrontEndCase as Case;
use super::session;
use fsgate_engine::session::Session;
use fsgate_volume::memory::{Item, Memory};

impl Case {
    fn before(&self) -> Memory {
        planted(self.text("before").unwrap_or_default())
    }

    /// The expected files after it; by default unchanged.
    fn after(&self) -> BTreeMap<String, Item> {
        self.text("after").map_or_else(|| self.before(), planted).snapshot()
    }
}

pub(crate) fn cases(front_end: &str) -> Vec<Case> {
    Case::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases").join(front_end)).unwrap()
}

/// Runs cases typed and in JSON, each over its own files. `came_to` returns the differences of an
/// answer; this function compares the files.
pub(crate) fn all_hold(
    cases: &[Case],
    blocks: &[&str],
    mut came_to: impl FnMut(&Case, &Session<Memory>, bool) -> Vec<String>,
) {
    let mut wrong = Vec::new();
    for (case, in_json) in cases.iter().flat_map(|case| [(case, false), (case, true)]) {
        assert!(case.blocks().all(|block| blocks.contains(&block)), "{}", case.title());
        let volume = case.before();
        let mut differences = came_to(case, &session(&volume), in_json);
        if volume.snapshot() != case.after() {
            differences.push(format!("{:?}", volume.snapshot()));
        }
        let title = case.title();
        wrong.extend(differences.iter().map(|found| format!("{title}, in JSON: {in_json}: {found}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `file PATH "…"`, `directory PATH` and `link PATH -> TARGET`, one per line; a path with spaces is
/// a JSON string.
fn planted(tree: &str) -> Memory {
    let volume = Memory::default();
    for line in tree.lines() {
        let (kind, rest) = line.split_once(' ').expect(line);
        let (path, rest) = path(rest);
        volume.put(
            &path,
            match (kind, rest.strip_prefix("-> ")) {
                ("file", None) => Item::File(serde_json::from_str::<String>(rest).expect(line).into_bytes()),
                ("directory", None) => Item::Directory,
                ("link", Some(target)) => Item::Link(target.to_owned()),
                _ => panic!("{line}"),
            },
        );
    }
    volume
}

fn path(text: &str) -> (String, &str) {
    if !text.starts_with('"') {
        let (path, rest) = text.split_once(' ').unwrap_or((text, ""));
        return (path.to_owned(), rest);
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let path = values.next().unwrap().expect(text);
    (path, text[values.byte_offset()..].trim_start())
}
