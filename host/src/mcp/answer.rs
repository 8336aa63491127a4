//! The result of a call: text for a model, data for programs.

mod media;
pub(super) mod unserved;

use std::str::FromStr;

use fsgate_cli::{PathContext, answer_text};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

use crate::Operation;

/// The form of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answers {
    /// Text, and the same as data.
    #[default]
    Both,
    /// Text only, for clients that show a model the data instead.
    Text,
    /// Data only; its JSON is the text too.
    Data,
}

impl Answers {
    /// The names of all forms.
    pub const NAMES: [&str; 3] = ["both", "text", "data"];

    /// The result of an operation, and of the tool of the lean set that was called, if any.
    pub(super) fn result(
        self,
        tool: &str,
        arguments: &Map<String, Value>,
        answer: &Result<String, String>,
        called: Option<&Operation>,
        places: &PathContext,
    ) -> CallToolResult {
        let is_error = answer.is_err();
        let (Ok(json) | Err(json)) = answer;
        let text = || {
            let answer = answer.as_deref().map_err(String::as_str);
            let lean_tool = called.map(|called| called.name);
            vec![ContentBlock::text(answer_text(tool, arguments, answer, lean_tool, places))]
        };
        let content = match (self, is_error) {
            (Self::Data, _) => vec![ContentBlock::text(json)],
            (_, true) => text(),
            (_, false) => media::content(tool, json, places).unwrap_or_else(text),
        };
        let mut result = CallToolResult::success(content);
        result.is_error = is_error.then_some(true);
        if self != Self::Text {
            result.structured_content = serde_json::from_str(json).ok();
        }
        result
    }
}

impl FromStr for Answers {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "both" => Ok(Self::Both),
            "text" => Ok(Self::Text),
            "data" => Ok(Self::Data),
            _ => Err(format!("`{name}` is none of {}", Self::NAMES.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_has_the_parts_that_were_asked_for() {
        let outcome = json!({"path": "/w/a", "exists": true});
        for (answers, text, data) in [
            (Answers::Both, "true", true),
            (Answers::Text, "true", false),
            (Answers::Data, r#"{"path":"/w/a","exists":true}"#, true),
        ] {
            let result = answers.result(
                "exists",
                &Map::new(),
                &Ok(outcome.to_string()),
                None,
                &PathContext::default(),
            );
            let json = serde_json::to_value(&result).unwrap();
            assert_eq!(json["content"], json!([{"type": "text", "text": text}]), "{answers:?}");
            assert_eq!(json.get("structuredContent"), data.then_some(&outcome), "{answers:?}");
            assert_eq!(json.get("isError"), None);
        }
        let error = json!({"code": "not_found", "message": "there is none", "applied": false});
        let result = Answers::Both.result(
            "exists",
            &Map::new(),
            &Err(error.to_string()),
            None,
            &PathContext::default(),
        );
        let json = serde_json::to_value(&result).unwrap();
        assert_eq!((&json["isError"], &json["structuredContent"]), (&json!(true), &error));
        assert_eq!(json["content"][0]["text"], "not_found: there is none");
    }

    #[test]
    fn every_way_has_a_name() {
        for name in Answers::NAMES {
            assert!(name.parse::<Answers>().is_ok());
        }
    }
}
