//! A long walk in chunks of time: each call continues where the last one ended. The sum of their
//! answers is that of one call.
//!
//! The code names no operation: each one with a time limit and a cursor is a walk.

use std::time::{Duration, Instant};

use fsgate_contract::limits::ANSWER_BYTES;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::{Kind, Operation};

/// A person does not notice such a delay of progress or cancellation.
const CHUNK: Duration = Duration::from_millis(100);

/// Lists that continue in the next chunk.
const LISTS: [&str; 4] = ["entries", "matches", "files", "occurrences"];

const TEXTS: [&str; 1] = ["drawn"];

/// Numbers, and records of numbers, that count within a chunk.
const COUNTS: [&str; 4] = ["totals", "skipped", "count", "searched"];

/// Whether the call can run in chunks. Excluded are calls without a walk, with named files, or with
/// results that need all files.
pub(super) fn is_walk(operation: &Operation, arguments: &Map<String, Value>) -> bool {
    let has = |name: &str, kind: Kind| {
        operation.fields.iter().any(|field| field.name == name && field.kind == kind)
    };
    let given = |name: &str| arguments.get(name).is_some_and(|value| !value.is_null());
    has("max_millis", Kind::Integer)
        && has("cursor", Kind::Text)
        && (!has("paths", Kind::Texts) || given("glob") && !given("ids") && !given("all") && !given("count"))
        && (!has("recursive", Kind::Boolean) || arguments.get("recursive") == Some(&Value::Bool(true)))
        && !given("sort")
}

pub(super) struct ChunkedWalk {
    arguments: Map<String, Value>,
    items: Option<u64>,
    bytes: u64,
    /// Whether the tool itself limits bytes.
    has_byte_limit: bool,
    /// Whether the tool has to refuse the given time.
    refused: bool,
    end: Option<Instant>,
    sum: Option<Map<String, Value>>,
    chunks: u64,
    /// The unchanged answer of a single chunk.
    whole: Option<String>,
    error: Option<String>,
    done: bool,
}

/// The fields that tell whether the walk goes on.
#[derive(Deserialize)]
struct Ending {
    next_cursor: Option<IgnoredAny>,
    stopped: Option<String>,
}

impl ChunkedWalk {
    /// A walk of at most `most`, or the time that the caller gave.
    pub(super) fn new(operation: &Operation, arguments: &Map<String, Value>, most: Duration) -> Self {
        let budget = |name: &str| {
            let given = arguments.get(name).filter(|value| !value.is_null());
            // The tool refuses values that are no numbers.
            given.map_or_else(|| default(operation, name), Value::as_u64)
        };
        let bytes = budget("max_bytes");
        let given = arguments.get("max_millis").filter(|millis| !millis.is_null());
        let range =
            operation.fields.iter().find(|field| field.name == "max_millis").and_then(|field| field.range);
        let (low, high) = range.unwrap_or((0, u64::MAX));
        let fits = |millis: &Value| millis.as_u64().is_some_and(|millis| (low..=high).contains(&millis));
        Self {
            arguments: arguments.clone(),
            items: budget("max_items"),
            bytes: bytes.unwrap_or(ANSWER_BYTES as u64),
            has_byte_limit: bytes.is_some(),
            refused: given.is_some_and(|millis| !fits(millis)),
            end: Instant::now().checked_add(budget("max_millis").map_or(most, Duration::from_millis)),
            sum: None,
            chunks: 0,
            whole: None,
            error: None,
            done: false,
        }
    }

    /// The arguments of the next chunk, if any.
    pub(super) fn next(&mut self) -> Option<Map<String, Value>> {
        if self.done {
            return None;
        }
        let mut chunk = self.arguments.clone();
        if !self.refused {
            let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
            let time = left.unwrap_or(CHUNK).clamp(Duration::from_millis(1), CHUNK);
            chunk.insert("max_millis".to_owned(), (time.as_millis() as u64).into());
        }
        Some(chunk)
    }

    pub(super) fn add(&mut self, answer: Result<String, String>) {
        let outcome = match answer {
            Ok(outcome) => outcome,
            Err(error) => {
                // Earlier chunks keep their cursor; a call from there gets the error.
                self.error = self.sum.is_none().then_some(error);
                self.done = true;
                return;
            }
        };
        // Most walks end in their first chunk, so nothing has to be added.
        if self.sum.is_none()
            && let Ok(Ending { next_cursor, stopped }) = serde_json::from_str(&outcome)
            && (next_cursor.is_none() || stopped.as_deref() != Some("time"))
        {
            self.whole = Some(outcome);
            self.done = true;
            return;
        }
        let Ok(Value::Object(outcome)) = serde_json::from_str(&outcome) else {
            self.error = Some(outcome);
            self.done = true;
            return;
        };
        let listed: usize =
            LISTS.iter().filter_map(|list| outcome.get(*list)?.as_array()).map(Vec::len).sum();
        let drawn: usize = TEXTS
            .iter()
            .filter_map(|text| outcome.get(*text)?.as_str())
            .map(|text| text.lines().count())
            .sum();
        let items = listed.max(drawn) as u64;
        let shown = LISTS.iter().chain(&TEXTS).filter_map(|name| outcome.get(*name));
        let bytes = shown.map(size).sum::<usize>() as u64;
        // Chunk and sum together exceed the limit. The cursor before this chunk lets the caller ask
        // for it again.
        if bytes > self.bytes
            && let Some(sum) = &mut self.sum
        {
            sum.insert("stopped".to_owned(), "bytes".into());
            self.done = true;
            return;
        }
        if let Some(left) = &mut self.items {
            *left = left.saturating_sub(items);
            self.arguments.insert("max_items".to_owned(), (*left).max(1).into());
        }
        self.bytes = self.bytes.saturating_sub(bytes);
        if self.has_byte_limit {
            self.arguments.insert("max_bytes".to_owned(), self.bytes.max(1).into());
        }
        let cursor = outcome.get("next_cursor").filter(|cursor| cursor.is_string()).cloned();
        let by_time = outcome.get("stopped").and_then(Value::as_str) == Some("time");
        let stuck = cursor.is_some() && cursor.as_ref() == self.arguments.get("cursor");
        self.chunks += 1;
        match &mut self.sum {
            Some(sum) => merge(sum, outcome),
            sum => *sum = Some(outcome),
        }
        let Some(cursor) = cursor.filter(|_| by_time && !stuck) else {
            self.done = true;
            return;
        };
        self.arguments.insert("cursor".to_owned(), cursor);
        let used_up = if self.items == Some(0) {
            Some("items")
        } else if self.bytes == 0 {
            Some("bytes")
        } else {
            self.end.is_some_and(|end| Instant::now() >= end).then_some("time")
        };
        if let (Some(why), Some(sum)) = (used_up, &mut self.sum) {
            sum.insert("stopped".to_owned(), why.into());
            self.done = true;
        }
    }

    /// The end of a further chunk; after it the sum so far is the answer. The first chunk has the
    /// whole time of a call.
    pub(super) fn end(&self) -> Option<Instant> {
        self.sum.as_ref().and(self.end)?.checked_add(CHUNK)
    }

    /// All counts, and one for each chunk: it also grows where nothing is found.
    pub(super) fn walked(&self) -> u64 {
        let Some(sum) = &self.sum else { return 0 };
        self.chunks
            + COUNTS.iter().filter_map(|name| sum.get(*name)).map(total).sum::<u64>()
            + LISTS
                .iter()
                .filter_map(|list| sum.get(*list)?.as_array())
                .map(|list| list.len() as u64)
                .sum::<u64>()
    }

    pub(super) fn finish(self) -> Result<String, String> {
        match (self.error, self.whole, self.sum) {
            (Some(error), ..) => Err(error),
            (None, Some(whole), _) => Ok(whole),
            (None, None, sum) => Ok(Value::Object(sum.unwrap_or_default()).to_string()),
        }
    }
}

fn default(operation: &Operation, name: &str) -> Option<u64> {
    let field = operation.fields.iter().find(|field| field.name == name)?;
    field.agent_default.or(field.default)?.parse().ok()
}

/// Bytes of a list or a text as the tools count: each item with its separator.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.iter().map(|item| item.to_string().len() + 1).sum(),
        Value::String(_) => value.to_string().len() - 2,
        _ => 0,
    }
}

/// The sum of all numbers except sizes, which are no progress.
fn total(value: &Value) -> u64 {
    match value {
        Value::Number(number) => number.as_u64().unwrap_or_default(),
        Value::Object(fields) => {
            fields.iter().filter(|(name, _)| *name != "bytes").map(|(_, value)| total(value)).sum()
        }
        _ => 0,
    }
}

/// Appends the next chunk. Other fields than lists, texts and counts, such as the cursor, come from
/// the last chunk.
fn merge(sum: &mut Map<String, Value>, next: Map<String, Value>) {
    for ended in ["next_cursor", "stopped"] {
        sum.shift_remove(ended);
    }
    for (name, value) in next {
        let known = sum.get_mut(&name);
        match (known, value) {
            (Some(Value::Array(list)), Value::Array(more)) if LISTS.contains(&&name[..]) => list.extend(more),
            (Some(Value::Array(list)), Value::Array(more)) if name == "notes" => {
                for note in more {
                    if !list.contains(&note) {
                        list.push(note);
                    }
                }
            }
            (Some(Value::String(text)), Value::String(more)) if TEXTS.contains(&&name[..]) => *text += &more,
            (Some(known), value) if COUNTS.contains(&&name[..]) => add(known, &value),
            (Some(_), _) if name == "path" => {}
            (_, value) => {
                sum.insert(name, value);
            }
        }
    }
}

fn add(sum: &mut Value, more: &Value) {
    match (sum, more) {
        (Value::Object(sum), Value::Object(more)) => {
            // A number that one chunk lacks is unknown in the sum.
            sum.retain(|name, _| more.get(name).is_some_and(|value| !value.is_null()));
            for (name, known) in sum {
                if let Some(value) = more.get(name) {
                    add(known, value);
                }
            }
        }
        (sum, more) => {
            if let (Some(one), Some(other)) = (sum.as_u64(), more.as_u64()) {
                *sum = one.saturating_add(other).into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mcp::testing::object;

    fn walk(items: Option<u64>, bytes: Option<u64>, millis: u64) -> ChunkedWalk {
        ChunkedWalk {
            arguments: object(json!({"path": "."})),
            items,
            bytes: bytes.unwrap_or(1 << 20),
            has_byte_limit: bytes.is_some(),
            refused: false,
            end: Some(Instant::now() + Duration::from_millis(millis)),
            sum: None,
            chunks: 0,
            whole: None,
            error: None,
            done: false,
        }
    }

    /// Runs a walk on prepared answers, and returns its calls and its result.
    fn walked(mut walk: ChunkedWalk, answers: &[Result<Value, Value>]) -> (Vec<Value>, Result<Value, Value>) {
        let mut asked = Vec::new();
        let mut answers = answers.iter();
        let (mut before, mut at_least) = (0, 0);
        while let Some(chunk) = walk.next() {
            asked.push(Value::Object(chunk));
            let answer = answers.next().expect("no further slice");
            walk.add(answer.clone().map(|ok| ok.to_string()).map_err(|error| error.to_string()));
            at_least = before.max(at_least);
            before = walk.walked();
            assert!(before >= at_least);
        }
        assert_eq!(answers.len(), 0, "not all slices were asked for");
        let parse = |text: String| serde_json::from_str(&text).unwrap();
        (asked, walk.finish().map(parse).map_err(parse))
    }

    fn chunk(entries: &[&str], files: u32, more: Value) -> Value {
        let mut chunk = object(json!({
            "path": "/w", "entries": entries, "totals": {"files": files, "bytes": 10 * files},
            "skipped": {"hidden": 1}
        }));
        chunk.extend(object(more));
        Value::Object(chunk)
    }

    #[test]
    fn slices_add_up_to_one_answer() {
        let (asked, sum) = walked(
            walk(None, None, 60_000),
            &[
                Ok(chunk(
                    &["a"],
                    5,
                    json!({"next_cursor": "c1", "stopped": "time", "drawn": "a\n",
                    "notes": [{"kind": "x", "text": "y"}], "count": 2}),
                )),
                Ok(chunk(
                    &[],
                    7,
                    json!({"next_cursor": "c2", "stopped": "time", "drawn": "",
                    "notes": [{"kind": "x", "text": "y"}], "count": 0}),
                )),
                Ok(chunk(&["b", "c"], 1, json!({"drawn": "b\n", "count": 1}))),
            ],
        );
        assert_eq!(
            asked,
            [
                json!({"path": ".", "max_millis": 100}),
                json!({"path": ".", "cursor": "c1", "max_millis": 100}),
                json!({"path": ".", "cursor": "c2", "max_millis": 100}),
            ]
        );
        assert_eq!(
            sum.unwrap(),
            json!({
                "path": "/w", "entries": ["a", "b", "c"], "totals": {"files": 13, "bytes": 130},
                "skipped": {"hidden": 3}, "drawn": "a\nb\n", "notes": [{"kind": "x", "text": "y"}], "count": 3
            })
        );
    }

    #[test]
    fn budgets_are_those_of_the_whole_call() {
        let (asked, sum) = walked(
            walk(Some(3), Some(100), 60_000),
            &[
                Ok(chunk(&["a", "bc"], 2, json!({"next_cursor": "c1", "stopped": "time"}))),
                Ok(chunk(&["d"], 1, json!({"next_cursor": "c2", "stopped": "items"}))),
            ],
        );
        assert_eq!(
            asked[1],
            json!({"path": ".", "max_items": 1, "max_bytes": 91, "cursor": "c1", "max_millis": 100})
        );
        let sum = sum.unwrap();
        assert_eq!((&sum["stopped"], &sum["next_cursor"]), (&json!("items"), &json!("c2")));
        assert_eq!(sum["entries"], json!(["a", "bc", "d"]));
    }

    #[test]
    fn what_one_slice_does_not_tell_the_sum_does_not_know() {
        let first = json!({"totals": {"files": 1, "bytes": 7}, "next_cursor": "c1", "stopped": "time"});
        let second = json!({"totals": {"files": 2}, "next_cursor": "c2", "stopped": "time"});
        let third = json!({"totals": {"files": 4, "bytes": 7}});
        let (_, sum) = walked(walk(None, None, 60_000), &[Ok(first), Ok(second), Ok(third)]);
        assert_eq!(sum.unwrap(), json!({"totals": {"files": 7}}));
    }

    #[test]
    fn a_drawing_counts_by_its_lines() {
        let chunk =
            |drawn: &str| json!({"drawn": drawn, "entries": [], "next_cursor": "c1", "stopped": "time"});
        let (asked, _) = walked(walk(Some(5), None, 60_000), &[Ok(chunk("a\nb\n")), Ok(chunk("c\n"))]);
        assert_eq!(asked[1]["max_items"], 3);
    }

    #[test]
    fn a_budget_that_is_used_up_ends_the_walk() {
        for (walk, more, expected) in [
            (walk(Some(1), None, 60_000), json!({}), "items"),
            (walk(None, Some(6), 60_000), json!({}), "bytes"),
            (walk(None, None, 0), json!({}), "time"),
        ] {
            let first = chunk(&["abc"], 1, json!({"next_cursor": "c1", "stopped": "time"}));
            let (_, sum) = walked(walk, &[Ok(first)]);
            let sum = sum.unwrap();
            assert_eq!((&sum["stopped"], &sum["next_cursor"]), (&json!(expected), &json!("c1")), "{more}");
        }
    }

    #[test]
    fn a_slice_that_is_too_much_is_left_for_the_next_call() {
        let one = chunk(&["abc"], 1, json!({"next_cursor": "c1", "stopped": "time"}));
        let two = chunk(&["d", "efgh"], 2, json!({"next_cursor": "c2", "stopped": "time"}));
        let (asked, sum) = walked(walk(None, Some(16), 60_000), &[Ok(one), Ok(two)]);
        assert_eq!(asked[1]["max_bytes"], 10);
        assert_eq!(
            sum.unwrap(),
            chunk(&["abc"], 1, json!({"next_cursor": "c1", "stopped": "bytes"})),
            "nothing of the second one counts"
        );
    }

    #[test]
    fn an_error_counts_only_before_anything_was_shown() {
        let error = json!({"code": "stale"});
        let (_, answer) = walked(walk(None, None, 60_000), &[Err(error.clone())]);
        assert_eq!(answer, Err(error.clone()));
        let first = chunk(&["a"], 1, json!({"next_cursor": "c1", "stopped": "time"}));
        let (_, answer) = walked(walk(None, None, 60_000), &[Ok(first.clone()), Err(error)]);
        assert_eq!(answer, Ok(first));
    }

    #[test]
    fn a_walk_that_does_not_move_ends() {
        let stuck = chunk(&[], 0, json!({"next_cursor": "c1", "stopped": "time"}));
        let (asked, _) = walked(walk(None, None, 60_000), &[Ok(stuck.clone()), Ok(stuck)]);
        assert_eq!(asked.len(), 2);
    }
}
