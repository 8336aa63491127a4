use std::time::{Duration, SystemTime};

use humantime::format_rfc3339_millis;
use serde::Serialize;
use serde_json::Value;

use super::call_fields::{AnswerFields, ChangedFile};
use super::{AuditEntry, chain};

/// Limit of a line: readers of the last line load that much from the end of a file. The bounds here
/// and in `call_fields` keep a line below a third of it.
pub(super) const LINE_BYTES: u64 = 1 << 20;

/// Characters of a name from outside.
const NAME_CHARS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    Intent,
    Call,
    /// The text before this line is torn.
    Torn,
}

pub(super) struct AuditLine<'a> {
    pub(super) time: SystemTime,
    pub(super) event: Event,
    pub(super) user: &'a str,
    pub(super) session: &'a str,
    pub(super) entry: &'a AuditEntry,
    pub(super) end: Option<(&'a AnswerFields, Duration)>,
    pub(super) missed: u64,
}

/// The fields in their order; `docs/audit.md` explains each.
#[derive(Serialize)]
struct LineFields<'a> {
    seq: u64,
    time: String,
    previous: String,
    event: Event,
    user: String,
    session: &'a str,
    front_end: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<String>,
    tool: String,
    paths: &'a [String],
    #[serde(skip_serializing_if = "is_none")]
    paths_left: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    glob: Option<&'a Value>,
    #[serde(skip_serializing_if = "is_false")]
    dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    intent: Option<u64>,
    #[serde(flatten)]
    end: Option<EndFields<'a>>,
    #[serde(skip_serializing_if = "is_none")]
    missed: u64,
}

#[derive(Serialize)]
struct EndFields<'a> {
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hidden: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    which: Option<String>,
    applied: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_written: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    etag_before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    #[serde(skip_serializing_if = "<[ChangedFile]>::is_empty")]
    files: &'a [ChangedFile],
    #[serde(skip_serializing_if = "is_none")]
    files_left: u64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    changed: &'a [String],
    #[serde(skip_serializing_if = "is_none")]
    changed_left: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    gone: Option<u64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pending: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    undo_id: Option<String>,
    duration_us: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl AuditLine<'_> {
    pub(super) fn text(&self, at: &chain::ChainPosition) -> Vec<u8> {
        let AuditEntry { caller, tool, call, confirmed, intent, .. } = self.entry;
        let end = self.end.map(|(answer, duration)| EndFields {
            outcome: short(&answer.outcome),
            rule: answer.rule.as_deref().map(short),
            hidden: answer.hidden.iter().map(|rule| short(rule)).collect(),
            which: answer.which.as_deref().map(short),
            applied: answer.applied && self.entry.changes,
            bytes_written: answer.bytes_written.filter(|_| self.entry.changes),
            etag_before: answer.etag_before.as_deref().map(short),
            etag: answer.etag.as_deref().map(short),
            files: &answer.files,
            files_left: answer.files_left,
            changed: &answer.changed,
            changed_left: answer.changed_left,
            gone: answer.gone,
            pending: &answer.pending,
            undo_id: answer.undo_id.as_deref().map(short),
            duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
        });
        let fields = LineFields {
            seq: at.seq,
            time: format_rfc3339_millis(self.time).to_string(),
            previous: at.previous.to_string(),
            event: self.event,
            user: short(self.user),
            session: self.session,
            front_end: &caller.front_end,
            client: caller.client.as_deref().map(short),
            tool: short(tool),
            paths: &call.paths,
            paths_left: call.paths_left,
            glob: call.glob.as_ref(),
            dry_run: call.dry_run,
            confirmed: *confirmed,
            arguments: call.arguments.as_ref(),
            intent: *intent,
            end,
            missed: self.missed,
        };
        // A record of strings and numbers always has a JSON form.
        serde_json::to_vec(&fields).unwrap_or_default()
    }
}

pub(super) fn torn(at: &chain::ChainPosition, time: SystemTime, torn: &[u8]) -> Vec<u8> {
    #[derive(Serialize)]
    struct Torn {
        seq: u64,
        time: String,
        previous: String,
        event: Event,
        torn_bytes: usize,
        torn_hash: String,
    }
    let fields = Torn {
        seq: at.seq,
        time: format_rfc3339_millis(time).to_string(),
        previous: at.previous.to_string(),
        event: Event::Torn,
        torn_bytes: torn.len(),
        torn_hash: blake3::hash(torn).to_string(),
    };
    serde_json::to_vec(&fields).unwrap_or_default()
}

fn short(name: &str) -> String {
    name.chars().take(NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use serde_json::json;

    use super::super::Caller;
    use super::super::call_fields::CallFields;
    use super::*;

    fn entry(tool: &str) -> AuditEntry {
        AuditEntry {
            caller: Caller { front_end: "mcp".to_owned(), client: Some("c\n\u{1b}".to_owned()) },
            tool: tool.to_owned(),
            changes: true,
            call: CallFields { paths: vec!["a \"b\"\n.txt".to_owned()], ..CallFields::default() },
            confirmed: None,
            intent: None,
        }
    }

    fn line(entry: &AuditEntry, end: Option<(&AnswerFields, Duration)>) -> String {
        let line = AuditLine {
            time: UNIX_EPOCH + Duration::from_millis(1_795_292_008_005),
            event: if end.is_some() { Event::Call } else { Event::Intent },
            user: "me",
            session: "00ff",
            entry,
            end,
            missed: 0,
        };
        let at = chain::ChainPosition { seq: 7, previous: blake3::hash(b"") };
        String::from_utf8(line.text(&at)).unwrap()
    }

    #[test]
    fn a_line_has_its_fields_in_their_order_and_no_line_end() {
        let previous = blake3::hash(b"").to_string();
        let answer = AnswerFields {
            applied: true,
            bytes_written: Some(3),
            etag: Some("e".to_owned()),
            undo_id: Some("u".to_owned()),
            ..AnswerFields::ok()
        };
        let end = Some((&answer, Duration::from_micros(1234)));
        assert_eq!(
            line(&entry("write"), end),
            format!(
                r#"{{"seq":7,"time":"2026-11-21T20:13:28.005Z","previous":"{previous}","event":"call","user":"me","session":"00ff","front_end":"mcp","client":"c\n\u001b","tool":"write","paths":["a \"b\"\n.txt"],"outcome":"ok","applied":true,"bytes_written":3,"etag":"e","undo_id":"u","duration_us":1234}}"#
            )
        );
        let intent = line(&entry("write"), None);
        assert!(intent.contains(r#""event":"intent""#) && intent.ends_with(r#".txt"]}"#), "{intent}");
    }

    /// Each byte of a control character takes six bytes in JSON.
    #[test]
    fn however_much_a_call_and_its_answer_tell_a_line_is_found_again() {
        let long = "\u{1}".repeat(4_000);
        let paths = vec![long.clone(); 1_000];
        let files: Vec<_> = ["\u{1}".repeat(40), long.clone()]
            .iter()
            .flat_map(|path| vec![json!({"path": path, "etag": "e".repeat(200), "etag_before": long}); 500])
            .chain(vec![json!({"path": "p"}); 500])
            .collect();
        let asked = json!({"paths": paths, "glob": long, "old": long});
        let answer =
            json!({"files": files, "paths": paths, "etag": long, "etag_before": long, "undo_id": long});
        let mut entry = entry(&long);
        entry.caller.client = Some(long.clone());
        entry.call = CallFields::json("", &asked.to_string(), true);
        let answer = AnswerFields {
            hidden: vec![long.clone(); 100],
            rule: Some(long.clone()),
            which: Some(long.clone()),
            outcome: long.clone(),
            ..AnswerFields::json(&answer.to_string(), true)
        };
        let line = line(&entry, Some((&answer, Duration::MAX)));
        assert!((line.len() as u64) < LINE_BYTES / 3, "{}", line.len());
        let line: Value = serde_json::from_str(&line).unwrap();
        let answer = line["files"].as_array().unwrap().len() as u64;
        assert_eq!((answer, &line["files_left"]), (100, &json!(1_400)));
    }
}
