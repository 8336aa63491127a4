//! Converts blocks to typed actions.

use serde::Serialize;
use serde_json::{Map, Value};

use super::catalogue::{self, ActionParameter, ParameterKind, PathFormat};
use super::scan::{ShamBlock, blocks};
use fsgate_contract::limits::{SHAM_NAME_CHARS, SHAM_SHOWN_BYTES};
use fsgate_text::excerpt::cut;

/// A valid action.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParsedAction<'a> {
    /// Its name.
    pub action: &'static str,
    /// Its typed parameters, defaults included.
    pub parameters: Map<String, Value>,
    /// Its place.
    pub metadata: ActionMetadata<'a>,
}

/// The place of an action in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "they are a block's")]
pub struct ActionMetadata<'a> {
    pub block_id: &'a str,
    pub start_line: usize,
    pub end_line: usize,
}

/// An invalid block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ParseError {
    /// The block's id, or `unknown`.
    pub block_id: String,
    /// The action's name, cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The kind of mistake.
    pub error_type: ErrorType,
    /// The mistake.
    pub message: String,
    /// The mistyped value, if any.
    #[serde(flatten)]
    pub mistyped: Option<Mistyped>,
    /// The line of its header, from 1.
    pub block_start_line: usize,
    /// The block up to its first mistake.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sham_content: Option<String>,
}

/// A kind of mistake in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorType {
    /// A syntax error.
    Syntax,
    /// An unknown action, or a missing parameter.
    Validation,
    /// A value of the wrong type.
    Type,
}

/// A mistyped value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mistyped {
    /// The parameter.
    pub parameter_name: &'static str,
    /// Its type in the catalogue.
    pub expected_type: &'static str,
    /// The value, cut, or the first invalid path.
    pub actual_value: String,
}

/// A mistake in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The kind of mistake.
    pub error_type: ErrorType,
    /// The mistake.
    pub message: String,
    /// The mistyped value.
    pub mistyped: Option<Mistyped>,
}

impl Mistake {
    fn new(error_type: ErrorType, message: String) -> Self {
        Self { error_type, message, mistyped: None }
    }
}

/// The numbers of blocks and results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the words of the system")]
pub struct Summary {
    pub total_blocks: usize,
    pub success_count: usize,
    pub error_count: usize,
}

/// A parsed text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParsedText<'a> {
    /// The valid actions, in order.
    pub actions: Vec<ParsedAction<'a>>,
    /// The invalid blocks.
    pub errors: Vec<ParseError>,
    /// Their numbers.
    pub summary: Summary,
}

/// Parses a text. An invalid block does not affect others.
pub fn parse(text: &str) -> ParsedText<'_> {
    let blocks = blocks(text);
    let (mut actions, mut errors) = (Vec::new(), Vec::new());
    for block in &blocks {
        match convert(block) {
            Ok(action) => actions.push(action),
            Err(refused) => {
                errors.extend(refused.into_iter().enumerate().map(|(number, mistake)| ParseError {
                    block_id: block.id.unwrap_or("unknown").to_owned(),
                    action: block.value("action").map(named),
                    error_type: mistake.error_type,
                    message: mistake.message,
                    mistyped: mistake.mistyped,
                    block_start_line: block.start_line,
                    sham_content: (number == 0).then(|| shown(block.text)),
                }));
            }
        }
    }
    let summary =
        Summary { total_blocks: blocks.len(), success_count: actions.len(), error_count: errors.len() };
    ParsedText { actions, errors, summary }
}

fn named(name: &str) -> String {
    cut(name, SHAM_NAME_CHARS).into_owned()
}

fn shown(text: &str) -> String {
    if text.len() <= SHAM_SHOWN_BYTES {
        return text.replace("\r\n", "\n");
    }
    let end = (0..=SHAM_SHOWN_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}…", &text[..end])
}

/// The action of a block, or all its mistakes.
pub fn convert<'a>(block: &ShamBlock<'a>) -> Result<ParsedAction<'a>, Vec<Mistake>> {
    if !block.errors.is_empty() {
        let syntax = |message: &String| Mistake::new(ErrorType::Syntax, shown(message));
        return Err(block.errors.iter().map(|error| syntax(&error.message)).collect());
    }
    let invalid = |message: String| Err(vec![Mistake::new(ErrorType::Validation, message)]);
    let Some(name) = block.value("action").filter(|name| !name.is_empty()) else {
        return invalid("Missing 'action' field in SHAM block".to_owned());
    };
    let Some(known) = catalogue::ActionSpec::find(name) else {
        return invalid(format!("Unknown action: {}", named(name)));
    };
    let missing: Vec<_> = known
        .parameters
        .iter()
        .filter(|parameter| parameter.required && block.value(parameter.name).is_none())
        .map(|parameter| format!("Missing required parameter: {}", parameter.name))
        .map(|message| Mistake::new(ErrorType::Validation, message))
        .collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    let mut parameters = Map::new();
    for parameter in known.parameters {
        if let Some(text) = block.value(parameter.name).or(parameter.default) {
            let value = typed(parameter, text).map_err(|mistake| vec![mistake])?;
            parameters.insert(parameter.name.to_owned(), value);
        }
    }
    // A block without mistakes has both.
    let metadata = ActionMetadata {
        block_id: block.id.unwrap_or_default(),
        start_line: block.start_line,
        end_line: block.end_line.unwrap_or(block.start_line),
    };
    Ok(ParsedAction { action: known.name, parameters, metadata })
}

/// The typed value of a parameter's text.
pub fn typed(parameter: &ActionParameter, text: &str) -> Result<Value, Mistake> {
    match parameter.kind {
        ParameterKind::Text(None) => Ok(text.into()),
        ParameterKind::Text(Some(PathFormat::Path)) if text.starts_with('/') => Ok(text.into()),
        ParameterKind::Text(Some(PathFormat::Path)) => Err(mistyped(parameter, "absolute path", text)),
        ParameterKind::Text(Some(PathFormat::Paths)) => match paths(text).find(|path| !path.starts_with('/'))
        {
            None => Ok(text.into()),
            Some(path) => Err(mistyped(parameter, "absolute path", path)),
        },
        ParameterKind::Integer => {
            integer(text.trim()).ok_or_else(|| mistyped(parameter, "integer value", text))
        }
        ParameterKind::Boolean => match text {
            "true" => Ok(true.into()),
            "false" => Ok(false.into()),
            _ => Err(mistyped(parameter, "boolean value", text)),
        },
        ParameterKind::Enum(values) if values.contains(&text) => Ok(text.into()),
        ParameterKind::Enum(values) => {
            let mut mistake = mistyped(parameter, "enum value", text);
            mistake.message += &format!(". Allowed: {}", values.join(", "));
            Err(mistake)
        }
    }
}

fn mistyped(parameter: &ActionParameter, what: &str, text: &str) -> Mistake {
    let actual_value = shown(text);
    Mistake {
        error_type: ErrorType::Type,
        message: format!("Invalid {what}: {actual_value}"),
        mistyped: Some(Mistyped {
            parameter_name: parameter.name,
            expected_type: parameter.kind.name(),
            actual_value,
        }),
    }
}

/// Paths, one per line.
pub fn paths(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').map(str::trim).filter(|path| !path.is_empty())
}

/// A whole number that JavaScript holds.
fn integer(text: &str) -> Option<Value> {
    const MOST: u64 = 1 << 53;
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text && number.unsigned_abs() < MOST).then(|| number.into())
}
