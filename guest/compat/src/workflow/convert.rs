//! Converts blocks to typed calls.

use std::collections::BTreeMap;

use super::catalogue::{TOOLS, ToolParameter, ToolParameterKind, ToolSpec};
use super::repair::{self, mistyped};
use super::scan::WorkflowBlock;
use super::value::Unfilled;
use fsgate_contract::limits::WORKFLOW_FILLED_BYTES;
use fsgate_contract::types::{Code, Error};
use fsgate_error::{ArgumentProblem, Failure, Reason};
use fsgate_text::close_names::nearest;
use fsgate_text::excerpt::quoted;

pub(super) type WorkflowVariables<'v> = BTreeMap<&'v str, &'v str>;

#[derive(Debug)]
pub(super) struct ToolArguments {
    pub(super) tool: &'static ToolSpec,
    values: BTreeMap<&'static str, Typed>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Typed {
    Text(String),
    Number(u32),
    Flag(bool),
}

impl ToolArguments {
    pub(super) fn perhaps(&self, name: &str) -> Option<&str> {
        match self.values.get(name) {
            Some(Typed::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// A text, by default empty.
    pub(super) fn text(&self, name: &str) -> &str {
        self.perhaps(name).unwrap_or_default()
    }

    /// A number, by default 0.
    pub(super) fn number(&self, name: &str) -> u32 {
        match self.values.get(name) {
            Some(Typed::Number(number)) => *number,
            _ => 0,
        }
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.values.get(name) == Some(&Typed::Flag(true))
    }

    pub(super) fn path(&self) -> &str {
        self.tool.parameters.first().map_or("", |first| self.text(first.name))
    }

    pub(super) fn refused(&self, reason: Reason) -> Error {
        reason.at(self.path()).into_error(self.tool.name)
    }
}

/// A block's call, or its mistake. `room`: bytes that variables may add.
pub(super) fn convert(
    block: &WorkflowBlock,
    variables: &WorkflowVariables,
    room: &mut usize,
) -> Result<ToolArguments, Error> {
    let refused = |reason: Reason| Failure::from(reason).into_error(block.tool);
    if let Some(flaw) = &block.flaw {
        let message = format!("line {}: {}", flaw.line, flaw.message);
        return Err(error(block.tool, Code::Malformed(flaw.at as u64), message, None));
    }
    let Some(tool) = ToolSpec::find(block.tool) else {
        let known: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
        let nearest = nearest(block.tool, &known);
        return Err(refused(Reason::UnknownTool { name: block.tool.to_owned(), known, nearest }));
    };
    let known = || tool.parameters.iter().map(|parameter| parameter.name);
    if let Some((unknown, _)) = block.values.iter().find(|(name, _)| !known().any(|known| known == *name)) {
        let known: Vec<_> = known().collect();
        let nearest = repair::parameter(tool.name, unknown).or_else(|| nearest(unknown, &known));
        return Err(refused(Reason::Arguments(vec![ArgumentProblem::Unknown {
            field: (*unknown).to_owned(),
            known,
            nearest,
        }])));
    }
    let mut values = BTreeMap::new();
    for parameter in tool.parameters {
        let text = match (block.value(parameter.name), parameter.default) {
            (Some(value), _) => value
                .filled(|name| variables.get(name).copied(), room)
                .map_err(|unfilled| cannot_fill(tool.name, parameter.name, unfilled))?,
            (None, Some(default)) => default.to_owned(),
            (None, None) if parameter.required => {
                let problem = format!("`{}` is missing", parameter.name);
                return Err(mistyped(tool, parameter.name, problem));
            }
            (None, None) => continue,
        };
        let value = typed(parameter, text).map_err(|problem| mistyped(tool, parameter.name, problem))?;
        values.insert(parameter.name, value);
    }
    Ok(ToolArguments { tool, values })
}

fn typed(parameter: &ToolParameter, text: String) -> Result<Typed, String> {
    let wanted = |what: &str| format!("`{}` has to be {what}, and not {}", parameter.name, quoted(&text));
    match parameter.kind {
        ToolParameterKind::Text => Ok(Typed::Text(text)),
        ToolParameterKind::Number => {
            let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let number = text.parse().ok().filter(|_| is_plain).map(Typed::Number);
            number.ok_or_else(|| wanted("a whole number from 0 to 4294967295"))
        }
        ToolParameterKind::Flag => match &text[..] {
            "true" => Ok(Typed::Flag(true)),
            "false" => Ok(Typed::Flag(false)),
            _ => Err(wanted("`true` or `false`")),
        },
    }
}

fn cannot_fill(tool: &str, parameter: &str, unfilled: Unfilled) -> Error {
    let argument = Code::InvalidArgument(parameter.to_owned());
    match unfilled {
        Unfilled::Unknown(name) => {
            let repair = format!(
                "give it a value, or write `\\u007b{{` in double quotes for braces in {}",
                quoted(parameter)
            );
            error(tool, argument, format!("there is no variable {}", quoted(name)), Some(repair))
        }
        Unfilled::TooMuch => {
            let most = WORKFLOW_FILLED_BYTES;
            let message = format!("the variables of one text bring in at most {most} bytes together");
            error(tool, Code::TooLarge(most as u64), message, None)
        }
    }
}

/// An error of this system.
pub(super) fn error(tool: &str, code: Code, message: String, repair: Option<String>) -> Error {
    Error { code, operation: tool.to_owned(), path: None, message, applied: false, repair, details: None }
}
