//! Parses JSON calls with `tool` and `input`: an object or a list.

use serde::de::{IgnoredAny, MapAccess};

use super::encoding::ContentEncoding;
use crate::json::{Fields, JsonField, JsonObject, OneOrMany};
use fsgate_contract::limits::PLUGIN_CALLS;

/// A well-formed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginCall {
    /// `filesystem.write`
    Write {
        /// The file.
        path: String,
        /// All its content.
        content: String,
        /// The encoding of `content`.
        encoding: ContentEncoding,
        /// The media type.
        mime_type: Option<String>,
    },
    /// `filesystem.read`
    Read {
        /// The file.
        path: String,
        /// The wanted encoding.
        encoding: ContentEncoding,
    },
    /// `filesystem.list`
    List {
        /// The directory.
        path: String,
    },
    /// `filesystem.glob`
    Glob {
        /// The pattern.
        pattern: String,
        /// The directory to search.
        cwd: String,
    },
    /// `filesystem.remove`
    Remove {
        /// A file, or a directory with all its content.
        path: String,
    },
    /// `filesystem.output`
    Output {
        /// The file.
        path: String,
        /// A text beside it.
        description: Option<String>,
    },
}

/// The reason why an entry is no call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoCall {
    /// The name of no tool.
    Unknown(String),
    /// A mistake in its form.
    Form(String),
}

/// The calls of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct PluginCalls {
    /// They are in a list, and so are the answers.
    pub is_list: bool,
    /// The calls.
    pub calls: Vec<Result<PluginCall, NoCall>>,
}

/// Parses the calls of a text, or returns its mistake.
pub fn calls(text: &str) -> Result<PluginCalls, String> {
    let listed: OneOrMany<JsonObject<CallEntry>, PLUGIN_CALLS> =
        serde_json::from_str(text).map_err(|problem| format!("the text is not JSON: {problem}"))?;
    match listed {
        OneOrMany::One(entry) => Ok(PluginCalls { is_list: false, calls: vec![call(entry)] }),
        OneOrMany::Many(entries) if entries.len() > PLUGIN_CALLS => {
            Err(format!("a text has at most {PLUGIN_CALLS} calls"))
        }
        OneOrMany::Many(entries) => {
            Ok(PluginCalls { is_list: true, calls: entries.into_iter().map(call).collect() })
        }
        OneOrMany::Neither => Err("the text is neither a call nor a list of calls".to_owned()),
    }
}

#[derive(Debug, Default)]
struct CallEntry {
    tool: JsonField,
    input: Option<JsonObject<CallInput>>,
    has_two_inputs: bool,
}

#[derive(Debug, Default)]
struct CallInput {
    path: JsonField,
    content: JsonField,
    encoding: JsonField,
    mime_type: JsonField,
    pattern: JsonField,
    cwd: JsonField,
    description: JsonField,
}

impl Fields for CallEntry {
    fn put<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "tool" => self.tool.put(map.next_value()?),
            "input" => self.has_two_inputs = self.input.replace(map.next_value()?).is_some(),
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }
}

impl Fields for CallInput {
    fn put<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let field = match key {
            "path" => &mut self.path,
            "content" => &mut self.content,
            "encoding" => &mut self.encoding,
            "mimeType" => &mut self.mime_type,
            "pattern" => &mut self.pattern,
            "cwd" => &mut self.cwd,
            "description" => &mut self.description,
            _ => {
                map.next_value::<IgnoredAny>()?;
                return Ok(());
            }
        };
        field.put(map.next_value()?);
        Ok(())
    }
}

fn call(JsonObject { is_object, fields: entry }: JsonObject<CallEntry>) -> Result<PluginCall, NoCall> {
    let form = |problem: &str| NoCall::Form(problem.to_owned());
    if !is_object {
        return Err(form("a call is an object with `tool` and `input`"));
    }
    let tool = entry.tool.needed("tool").map_err(NoCall::Form)?;
    if entry.has_two_inputs {
        return Err(form("`input` is there twice"));
    }
    let input = match entry.input {
        Some(JsonObject { is_object: false, .. }) => return Err(form("`input` is not an object")),
        Some(JsonObject { fields, .. }) => fields,
        None => CallInput::default(),
    };
    match input.of(&tool) {
        Some(call) => call.map_err(NoCall::Form),
        None => Err(NoCall::Unknown(tool)),
    }
}

impl CallInput {
    fn of(self, tool: &str) -> Option<Result<PluginCall, String>> {
        Some(match tool {
            "filesystem.write" => self.write(),
            "filesystem.read" => self.read(),
            "filesystem.list" => self.list(),
            "filesystem.glob" => self.glob(),
            "filesystem.remove" => self.remove(),
            "filesystem.output" => self.output(),
            _ => return None,
        })
    }

    fn write(self) -> Result<PluginCall, String> {
        Ok(PluginCall::Write {
            path: self.path.needed("path")?,
            content: self.content.needed("content")?,
            encoding: encoding(self.encoding)?,
            mime_type: self.mime_type.optional("mimeType")?,
        })
    }

    fn read(self) -> Result<PluginCall, String> {
        Ok(PluginCall::Read { path: self.path.needed("path")?, encoding: encoding(self.encoding)? })
    }

    fn list(self) -> Result<PluginCall, String> {
        Ok(PluginCall::List { path: self.path.optional("path")?.unwrap_or_default() })
    }

    fn glob(self) -> Result<PluginCall, String> {
        let pattern = self.pattern.needed("pattern")?;
        Ok(PluginCall::Glob { pattern, cwd: self.cwd.optional("cwd")?.unwrap_or_default() })
    }

    fn remove(self) -> Result<PluginCall, String> {
        Ok(PluginCall::Remove { path: self.path.needed("path")? })
    }

    fn output(self) -> Result<PluginCall, String> {
        let path = self.path.needed("path")?;
        Ok(PluginCall::Output { path, description: self.description.optional("description")? })
    }
}

fn encoding(field: JsonField) -> Result<ContentEncoding, String> {
    match field.optional("encoding")?.as_deref() {
        None => Ok(ContentEncoding::Utf8),
        Some(name) => {
            ContentEncoding::find(name).ok_or_else(|| "`encoding` is neither `utf-8` nor `base64`".to_owned())
        }
    }
}
