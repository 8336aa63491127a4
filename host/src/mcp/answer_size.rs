//! The default size of an answer, by client.
//!
//! A client that cuts an answer does not tell its model so. An answer that ends early says it, and
//! has a cursor.

use fsgate_contract::Operation;
use rmcp::model::{MetaObject, Tool};
use serde_json::{Map, Value, json};

/// The argument for the size.
const MAX_BYTES: &str = "max_bytes";

/// The argument for the size of lists.
const MAX_ITEMS: &str = "max_items";

/// Bytes reckoned for an item of a list: a path of 60 characters, a kind, a size and a time.
const ITEM_BYTES: u64 = 90;

/// A field of a listed tool: Claude Code then shows a result of up to so many characters, and does
/// not move it to a file. Source: Claude Code 2.1.283, 2026-11.
const RESULT_CHARACTERS: &str = "anthropic/maxResultSizeChars";

/// Characters of an answer about its content: a cursor, counts, notes.
const ABOUT_CHARACTERS: u64 = 4_000;

/// A client by the beginning of the name in its handshake.
struct KnownClient {
    name: &'static str,
    /// Bytes of an answer, in place of the tool's own default.
    bytes: u64,
    /// Whether it reads [`RESULT_CHARACTERS`].
    reads_meta: bool,
}

const CLIENTS: [KnownClient; 2] = [
    // It cuts a result in the middle at 10,000 bytes: issues 6544, 7906 and 14466 of openai/codex,
    // 2026-11.
    KnownClient { name: "codex", bytes: 9_000, reads_meta: false },
    KnownClient { name: "claude-code", bytes: 60_000, reads_meta: true },
];

/// The sizes of one server.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AnswerSize {
    /// The size for all clients, if the operator has set one.
    pub(super) bytes: Option<u64>,
}

impl AnswerSize {
    /// The size for a client; none for the default of the tool.
    fn of(self, client: Option<&str>) -> Option<u64> {
        self.bytes.or(known(client).map(|client| client.bytes))
    }

    /// Adds the size to the arguments of a call that has none.
    pub(super) fn add(self, operation: &Operation, arguments: &mut Map<String, Value>, client: Option<&str>) {
        let default = |name: &str| {
            let field = operation.fields.iter().find(|field| field.name == name)?;
            field.agent_default?.parse::<u64>().ok()
        };
        let size = self.of(client).and_then(|bytes| match default(MAX_BYTES) {
            Some(_) => Some((MAX_BYTES, bytes)),
            // In an operation that changes files, `max_items` limits the changes.
            None if !operation.read_only => None,
            None => Some((MAX_ITEMS, items(bytes, default(MAX_ITEMS)?))),
        });
        if let Some((name, size)) = size
            && arguments.get(name).is_none_or(Value::is_null)
        {
            arguments.insert(name.to_owned(), size.into());
        }
    }

    /// Gives listed tools the size of a client.
    pub(super) fn list(self, tools: &mut [Tool], client: Option<&str>) {
        let Some(bytes) = self.of(client) else { return };
        let reads_meta = known(client).is_some_and(|client| client.reads_meta);
        for tool in tools {
            let mut schema = (*tool.input_schema).clone();
            let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
            let is_list = Operation::find(&tool.name).is_some_and(|operation| operation.read_only);
            let size = fields.and_then(|fields| {
                let names = if is_list { &[MAX_BYTES, MAX_ITEMS][..] } else { &[MAX_BYTES] };
                let name = names.iter().copied().find(|name| fields.contains_key(*name))?;
                Some((name, fields.get_mut(name)?.get_mut("default")?))
            });
            if let Some((name, default)) = size {
                let all = default.as_u64().unwrap_or(bytes);
                *default = if name == MAX_ITEMS { items(bytes, all) } else { bytes }.into();
                tool.input_schema = schema.into();
            }
            if reads_meta {
                let mut meta = MetaObject::new();
                meta.insert(RESULT_CHARACTERS.to_owned(), json!(bytes + ABOUT_CHARACTERS));
                tool.meta = Some(meta);
            }
        }
    }
}

/// The items of a list for an answer of so many bytes, at most the tool's own default.
fn items(bytes: u64, default: u64) -> u64 {
    default.min((bytes / ITEM_BYTES).max(1))
}

fn known(client: Option<&str>) -> Option<&'static KnownClient> {
    let name = client?;
    CLIENTS.iter().find(|known| name.starts_with(known.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_gets_the_size_of_its_client() {
        for (own, client, tool, given, expected) in [
            (None, Some("codex-mcp-client 0.157.1"), "read", json!({}), json!(9_000)),
            (None, Some("claude-code 2.1.283"), "grep", json!({}), json!(60_000)),
            (None, Some("claude-code 2.1.283"), "grep", json!({"max_bytes": 5}), json!(5)),
            (None, Some("other 1"), "read", json!({}), Value::Null),
            (None, None, "read", json!({}), Value::Null),
            (Some(7_000), Some("codex 1"), "read", json!({"max_bytes": null}), json!(7_000)),
            (Some(7_000), None, "read", json!({}), json!(7_000)),
            (Some(7_000), None, "write", json!({}), Value::Null),
        ] {
            let Value::Object(mut arguments) = given else { continue };
            let operation = Operation::find(tool).unwrap();
            AnswerSize { bytes: own }.add(operation, &mut arguments, client);
            let found = arguments.get(MAX_BYTES).cloned().unwrap_or_default();
            assert_eq!(found, expected, "{own:?} {client:?} {tool}");
        }
    }

    #[test]
    fn a_list_gets_as_many_items_as_fit() {
        for (own, client, tool, given, expected) in [
            (None, Some("codex-mcp-client 0.157.1"), "glob", json!({}), json!(100)),
            (None, Some("claude-code 2.1.283"), "list_directory", json!({}), json!(200)),
            (None, Some("codex 1"), "outline", json!({"max_items": 1_000}), json!(1_000)),
            (None, Some("codex 1"), "grep", json!({}), Value::Null),
            (None, None, "glob", json!({}), Value::Null),
            (Some(1_000), None, "log", json!({}), json!(11)),
            (Some(1_000), None, "replace_in_files", json!({}), Value::Null),
        ] {
            let Value::Object(mut arguments) = given else { continue };
            let operation = Operation::find(tool).unwrap();
            AnswerSize { bytes: own }.add(operation, &mut arguments, client);
            let found = arguments.get(MAX_ITEMS).cloned().unwrap_or_default();
            assert_eq!(found, expected, "{own:?} {client:?} {tool}");
        }
    }
}
