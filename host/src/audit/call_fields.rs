//! The facts about a call and its answer that the audit records; no content.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fsgate_contract::types::{Code, Error};
use fsgate_contract::{Arguments, Operation};
use fsgate_error::call;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::json_pick::PickedFields;

/// Arguments with paths; a test compares them with the contract.
const PATHS: [&str; 5] = ["path", "paths", "source", "destination", "edits"];

const PATCH: &str = "patch";

const MODES: [&str; 5] = ["dry_run", "confirm", CHOSEN, ALL, PATTERN];

const PATTERN: &str = "glob";

/// Without this argument, or all of them, a call only lists the choices.
const CHOSEN: &str = "ids";

/// A call with this argument chooses everything.
const ALL: &str = "all";

const READ_OUTCOME: [&str; 1] = ["etag"];

const CHANGE_OUTCOME: [&str; 8] =
    ["etag_before", "etag", "bytes_written", "undo_id", "files", "paths", "deleted", "forgotten"];

/// Paths and files listed singly: as many as a person reads.
const ITEMS: usize = 100;

/// Listed places in state directories: with the longest paths, a twelfth of a line.
const PENDING_ITEMS: usize = 20;

/// Bytes of paths in a line, counted in JSON. The bound keeps an agent from pushing old lines out,
/// and keeps a line within one read block.
const PATH_BYTES: usize = 16 << 10;

/// Bytes of the files of a call: about a hundred with usual paths.
const FILE_BYTES: usize = 32 << 10;

/// Bytes above which only the beginning of a text argument is recorded.
const TEXT_BYTES: usize = 200;

const ARGUMENT_BYTES: usize = 32 << 10;

#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct CallFields {
    pub(crate) paths: Vec<String>,
    pub(crate) paths_left: u64,
    pub(crate) dry_run: bool,
    pub(crate) confirm: bool,
    pub(crate) chosen: bool,
    pub(crate) glob: Option<Value>,
    /// All arguments, with long texts cut, if the audit wants them.
    pub(crate) arguments: Option<Value>,
}

/// The caller does not learn these facts.
#[derive(Debug, Default)]
pub(crate) struct AuditFacts {
    hidden: Mutex<BTreeSet<String>>,
    /// Places where the trash still has objects of entries that left the history.
    pending: Mutex<Vec<String>>,
}

impl AuditFacts {
    pub(crate) fn add_hidden(&self, hidden: Vec<String>) {
        if !hidden.is_empty() {
            lock(&self.hidden).extend(hidden);
        }
    }

    pub(crate) fn set_pending(&self, places: &[PathBuf]) {
        let places = places.iter().take(PENDING_ITEMS).map(|place| place.to_string_lossy().into_owned());
        *lock(&self.pending) = places.collect();
    }

    pub(crate) fn complete(&self, fields: AnswerFields) -> AnswerFields {
        let hidden = lock(&self.hidden).iter().take(ITEMS).cloned().collect();
        AnswerFields { hidden, pending: lock(&self.pending).clone(), ..fields }
    }
}

fn lock<T>(heard: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic cannot leave these sets inconsistent.
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct AnswerFields {
    /// `ok`, or the code of the error.
    pub(crate) outcome: String,
    pub(crate) rule: Option<String>,
    pub(crate) hidden: Vec<String>,
    pub(crate) which: Option<String>,
    pub(crate) applied: bool,
    pub(crate) bytes_written: Option<u64>,
    pub(crate) etag_before: Option<String>,
    pub(crate) etag: Option<String>,
    pub(crate) files: Vec<ChangedFile>,
    pub(crate) files_left: u64,
    /// The changed paths of the outcome: an `undo` names none in its arguments.
    pub(crate) changed: Vec<String>,
    pub(crate) changed_left: u64,
    pub(crate) gone: Option<u64>,
    pub(crate) pending: Vec<String>,
    pub(crate) undo_id: Option<String>,
}

#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize)]
pub(crate) struct ChangedFile {
    path: String,
    #[serde(default)]
    bytes_written: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    etag_before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
}

#[derive(Deserialize)]
struct ErrorFields {
    code: String,
    #[serde(default)]
    applied: bool,
    rule: Option<String>,
    which: Option<String>,
}

impl CallFields {
    /// Reads arguments of JSON text; `whole` records all of them.
    pub(crate) fn json(tool: &str, arguments: &str, whole: bool) -> Self {
        let mut fields = Self::of(tool, PickedFields::parse(arguments, &wanted_arguments()));
        if whole {
            fields.arguments = Some(match serde_json::from_str(arguments) {
                Ok(Value::Object(object)) => shown(tool, object),
                _ => cut(arguments),
            });
        }
        fields
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn object(tool: &str, arguments: &Map<String, Value>, whole: bool) -> Self {
        let wanted = wanted_arguments();
        let picked = arguments.iter().filter(|(name, _)| wanted.contains(&name.as_str()));
        let picked = picked.map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut fields = Self::of(tool, PickedFields(picked));
        fields.arguments = whole.then(|| shown(tool, arguments.clone()));
        fields
    }

    pub(crate) fn typed<A: Arguments + Serialize>(args: &A, whole: bool) -> Self {
        let mut fields = Self::of(A::OPERATION, PickedFields::of(args, &wanted_arguments()));
        if whole && let Ok(Value::Object(object)) = serde_json::to_value(args) {
            fields.arguments = Some(shown(A::OPERATION, object));
        }
        fields
    }

    pub(crate) fn changes_nothing(&self, tool: &str) -> bool {
        let operation = Operation::find(tool);
        let chooses =
            operation.is_some_and(|operation| operation.fields.iter().any(|field| field.name == CHOSEN));
        self.dry_run || chooses && !self.chosen
    }

    fn of(tool: &str, mut picked: PickedFields) -> Self {
        call::normalize(tool, &mut picked.0);
        let fields = Self {
            dry_run: picked.is_true("dry_run"),
            confirm: picked.is_true("confirm"),
            chosen: picked.0.get(CHOSEN).is_some_and(|ids| !ids.is_null()) || picked.is_true(ALL),
            glob: picked
                .text(PATTERN)
                .map(|text| if text.len() > TEXT_BYTES { cut(&text) } else { text.into() }),
            ..Self::default()
        };
        let patched = picked.0.get(PATCH).and_then(Value::as_str).map(fsgate_text::patch::paths);
        let patched = patched.unwrap_or_default();
        let named = PATHS.iter().filter_map(|name| picked.0.get(*name)).flat_map(paths);
        let (paths, paths_left) = fitting_paths(named.chain(patched.iter().map(|(path, _)| &**path)));
        Self { paths, paths_left, ..fields }
    }
}

fn fitting_paths<'a>(paths: impl Iterator<Item = &'a str>) -> (Vec<String>, u64) {
    let (paths, left) = fitting(PATH_BYTES, paths);
    (paths.into_iter().map(str::to_owned).collect(), left)
}

/// Returns the items that fit in `room` bytes of JSON, and the number of the others.
fn fitting<T: Serialize>(mut room: usize, items: impl Iterator<Item = T>) -> (Vec<T>, u64) {
    let (mut fitting, mut left) = (Vec::new(), 0);
    for item in items {
        let bytes = if fitting.len() < ITEMS { bytes_of(&item, room) } else { None };
        match bytes {
            Some(bytes) => {
                room -= bytes;
                fitting.push(item);
            }
            None => left += 1,
        }
    }
    (fitting, left)
}

fn bytes_of(record: &impl Serialize, room: usize) -> Option<usize> {
    struct Room(usize);

    impl io::Write for Room {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut left = Room(room);
    serde_json::to_writer(&mut left, record).is_ok().then(|| room - left.0)
}

fn paths(argument: &Value) -> Vec<&str> {
    match argument {
        Value::String(path) => vec![path],
        Value::Array(items) => {
            items.iter().filter_map(|item| item.get("path").unwrap_or(item).as_str()).collect()
        }
        _ => Vec::new(),
    }
}

fn wanted_arguments() -> Vec<&'static str> {
    [&PATHS[..], &[PATCH], &MODES].concat()
}

/// Arguments with long texts cut, or their beginning if that is still too long.
fn shown(tool: &str, mut arguments: Map<String, Value>) -> Value {
    call::normalize(tool, &mut arguments);
    for value in arguments.values_mut() {
        shorten(value);
    }
    let value = Value::Object(arguments);
    let text = value.to_string();
    if text.len() > ARGUMENT_BYTES { cut(&text) } else { value }
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > TEXT_BYTES => *value = cut(text),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

fn cut(text: &str) -> Value {
    let begin = &text[..text.floor_char_boundary(TEXT_BYTES)];
    json!({ "begins": begin, "bytes": text.len(), "blake3": blake3::hash(text.as_bytes()).to_string() })
}

impl AnswerFields {
    pub(crate) fn ok() -> Self {
        Self { outcome: "ok".to_owned(), ..Self::default() }
    }

    pub(crate) fn json(outcome: &str, changes: bool) -> Self {
        Self::of(PickedFields::parse(outcome, wanted(changes)), changes)
    }

    pub(crate) fn typed(outcome: &impl Serialize, changes: bool) -> Self {
        Self::of(PickedFields::of(outcome, wanted(changes)), changes)
    }

    fn of(mut picked: PickedFields, changes: bool) -> Self {
        let files =
            picked.0.remove("files").and_then(|files| serde_json::from_value::<Vec<ChangedFile>>(files).ok());
        let files = files.unwrap_or_default();
        let written = files.iter().map(|file| file.bytes_written).sum();
        let bytes_written = picked.number("bytes_written").or((!files.is_empty()).then_some(written));
        let (files, files_left) = fitting(FILE_BYTES, files.into_iter());
        let (changed, changed_left) =
            fitting_paths(picked.0.get("paths").map(paths).unwrap_or_default().into_iter());
        Self {
            applied: changes,
            changed,
            changed_left,
            gone: picked.number("deleted").or(picked.number("forgotten")),
            bytes_written,
            etag_before: picked.text("etag_before"),
            etag: picked.text("etag"),
            files,
            files_left,
            undo_id: picked.text("undo_id"),
            ..Self::ok()
        }
    }

    pub(crate) fn json_error(error: &str) -> Self {
        match serde_json::from_str(error) {
            Ok(ErrorFields { code, applied, rule, which }) => {
                Self { outcome: code, applied, rule, which, ..Self::default() }
            }
            Err(_) => Self::code("other"),
        }
    }

    pub(crate) fn error(error: &Error) -> Self {
        let mut fields = Self { applied: error.applied, ..Self::code(error.code.name()) };
        match &error.code {
            Code::DeniedByPolicy(rule) => fields.rule = Some(rule.clone()),
            Code::Limit(which) => fields.which = Some(which.clone()),
            _ => {}
        }
        fields
    }

    pub(crate) fn code(code: &str) -> Self {
        Self { outcome: code.to_owned(), ..Self::default() }
    }
}

fn wanted(changes: bool) -> &'static [&'static str] {
    if changes { &CHANGE_OUTCOME } else { &READ_OUTCOME }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fsgate_contract::edit_types::WriteArgs;
    use fsgate_generator::model::{Contract, Type};

    use super::*;

    #[test]
    fn every_argument_of_the_contract_that_is_a_path_is_told() {
        let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit");
        let contract = Contract::read(&wit).unwrap();
        let is_path = |ty: &Type| match ty.inner() {
            Type::List(item) => matches!(&**item, Type::Named { name, .. } if name == "path"),
            ty => matches!(ty, Type::Named { name, .. } if name == "path"),
        };
        let mut found = Vec::new();
        for operation in &contract.operations {
            for field in contract.fields(&operation.args).unwrap() {
                let holds = contract
                    .items(&field.ty)
                    .is_some_and(|(_, fields)| fields.iter().any(|field| is_path(&field.ty)));
                if holds || is_path(&field.ty) {
                    found.push(field.name.replace('-', "_"));
                }
            }
        }
        found.sort();
        found.dedup();
        let mut known = PATHS.map(str::to_owned);
        known.sort();
        assert_eq!(found, known);
    }

    #[test]
    fn a_call_tells_its_paths_and_how_it_is_meant() {
        for (arguments, expected) in [
            (r#"{"path": "a", "content": "secret"}"#, &["a"][..]),
            (r#"{"paths": ["a", "b"]}"#, &["a", "b"]),
            (r#"{"source": "a", "destination": "b"}"#, &["a", "b"]),
            (r#"{"edits": [{"path": "a", "old": "secret"}, {"path": "b"}, 3]}"#, &["a", "b"]),
            (
                r#"{"patch": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-secret\n+s\n--- a/y\n+++ /dev/null\n"}"#,
                &["x", "y"],
            ),
            (r#"{"patch": "secret"}"#, &[]),
            (r#"{"path": 3}"#, &[]),
            (r#"{"path": "a", "path": "b"}"#, &["b"]),
            ("{", &[]),
        ] {
            let fields = CallFields::json("", arguments, false);
            assert_eq!(fields.paths, expected, "{arguments}");
            assert_eq!((fields.paths_left, fields.dry_run, &fields.arguments), (0, false, &None));
            if let Ok(Value::Object(object)) = serde_json::from_str(arguments) {
                assert_eq!(CallFields::object("", &object, false), fields, "{arguments}");
            }
        }
        let fields = CallFields::json("", r#"{"path": "a", "dry_run": true, "confirm": true}"#, false);
        assert!(fields.dry_run && fields.confirm);
        for (tool, dry_run) in [("delete", true), ("no_tool", false)] {
            let given = r#"{"paths": "a", "dry_run": "true", "confirm": "true"}"#;
            let found = CallFields::json(tool, given, true);
            assert_eq!((found.dry_run, found.confirm), (dry_run, dry_run), "{tool}");
            let whole: Map<_, _> = serde_json::from_str(given).unwrap();
            assert_eq!(CallFields::object(tool, &whole, true), found);
            let expected = json!({"paths": "a", "dry_run": "true", "confirm": "true"});
            let taken = json!({"paths": "a", "dry_run": true, "confirm": true});
            assert_eq!(found.arguments, Some(if dry_run { taken } else { expected }));
        }
        let args = WriteArgs { path: "a".into(), dry_run: Some(true), ..Default::default() };
        assert_eq!(CallFields::typed(&args, false), CallFields { confirm: false, ..fields });
    }

    #[test]
    fn however_much_is_asked_a_line_stays_short() {
        let paths: Vec<_> = (0..1000).map(|n| format!("{n:0>100}")).collect();
        let fields = CallFields::json("", &json!({ "paths": paths }).to_string(), true);
        assert_eq!((fields.paths.len(), fields.paths_left), (ITEMS, 900));
        for (path, count) in [("x", 1), ("\u{1}", 0), ("\n", 0)] {
            let fields =
                CallFields::json("", &json!({ "paths": vec![path.repeat(10_000); 3] }).to_string(), true);
            assert_eq!((fields.paths.len(), fields.paths_left), (count, 3 - count as u64), "{path:?}");
        }
        let many: Map<_, _> = (0..1000).map(|n| (format!("{n}"), json!("x".repeat(100)))).collect();
        let shown = CallFields::json("", &Value::Object(many).to_string(), true).arguments.unwrap();
        assert!(shown.to_string().len() < 1000, "{shown}");
    }

    #[test]
    fn long_texts_among_arguments_are_cut_and_hashed() {
        let secret = "ä".repeat(101) + "the end";
        let arguments = json!({"path": "a", "content": secret, "edits": [{"old": secret}], "limit": 3});
        let hash = blake3::hash(secret.as_bytes()).to_string();
        let cut = json!({"begins": "ä".repeat(100), "bytes": secret.len(), "blake3": hash});
        let expected = json!({"path": "a", "content": cut, "edits": [{"old": cut}], "limit": 3});
        assert_eq!(CallFields::json("", &arguments.to_string(), true).arguments, Some(expected));
        assert_eq!(CallFields::json("", "[1]", true).arguments.unwrap()["begins"], "[1]");
        let args = WriteArgs { path: "a".into(), content: "short".into(), ..Default::default() };
        let fields = CallFields::typed(&args, true).arguments.unwrap();
        assert_eq!((&fields["path"], &fields["content"]), (&json!("a"), &json!("short")));
    }

    #[test]
    fn an_answer_tells_what_has_become_of_what() {
        let outcome = r#"{"path": "/w/a", "etag_before": "1", "etag": "2", "bytes_written": 3, "undo_id": "4", "diff": "x"}"#;
        let fields = AnswerFields::json(outcome, true);
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            fields,
            AnswerFields {
                applied: true,
                bytes_written: Some(3),
                etag_before: text("1"),
                etag: text("2"),
                undo_id: text("4"),
                ..AnswerFields::ok()
            }
        );
        assert_eq!(
            AnswerFields::json(outcome, false),
            AnswerFields { etag: text("2"), ..AnswerFields::ok() }
        );
        let fields = AnswerFields::json(
            r#"{"files": [{"path": "a", "bytes_written": 3, "etag": "1"}, {"path": "b", "bytes_written": 4}]}"#,
            true,
        );
        assert_eq!((fields.bytes_written, fields.files.len()), (Some(7), 2));
        let fields = AnswerFields::json(r#"{"paths": ["/w/a", "/w/b"], "undo_id": "4"}"#, true);
        assert_eq!((fields.changed, fields.changed_left), (vec!["/w/a".to_owned(), "/w/b".to_owned()], 0));
        for (outcome, gone) in
            [(r#"{"deleted": 3}"#, Some(3)), (r#"{"forgotten": 2}"#, Some(2)), ("{}", None)]
        {
            assert_eq!(AnswerFields::json(outcome, true).gone, gone);
        }
        assert_eq!(
            CallFields::json("", r#"{"path": ".", "glob": "*.txt"}"#, false).glob,
            Some(json!("*.txt"))
        );
        let found = AnswerFields::json(r#"{"files": [{"path": "a", "content": "secret"}]}"#, false);
        assert_eq!(found, AnswerFields::ok(), "what was only looked at");
        assert_eq!(AnswerFields::json("no JSON", true), AnswerFields { applied: true, ..AnswerFields::ok() });
    }

    #[test]
    fn an_error_tells_its_code_and_what_has_refused() {
        let error = Error {
            code: Code::DeniedByPolicy("keys".to_owned()),
            operation: "read".to_owned(),
            path: None,
            message: String::new(),
            applied: false,
            repair: None,
            details: None,
        };
        let expected =
            AnswerFields { rule: Some("keys".to_owned()), ..AnswerFields::code("denied_by_policy") };
        assert_eq!(AnswerFields::error(&error), expected);
        assert_eq!(AnswerFields::json_error(&serde_json::to_string(&error).unwrap()), expected);
        let error = Error { code: Code::Limit("calls".to_owned()), applied: true, ..error };
        let expected =
            AnswerFields { which: Some("calls".to_owned()), applied: true, ..AnswerFields::code("limit") };
        assert_eq!(AnswerFields::error(&error), expected);
        assert_eq!(AnswerFields::json_error(&serde_json::to_string(&error).unwrap()), expected);
        assert_eq!(AnswerFields::json_error("no JSON"), AnswerFields::code("other"));
    }
}
