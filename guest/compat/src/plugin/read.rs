//! `filesystem.read` and `filesystem.output`.

use serde::Serialize;
use serde_json::json;

use super::PluginAnswer;
use super::encoding::ContentEncoding;
use super::execute::{CallOutput, PluginExecutor};
use super::failure::PluginFailure;
use super::location::PluginPath;
use super::sidecar::Sidecar;
use crate::Tools;
use crate::complete_file::PAGE_BYTES;
use fsgate_contract::front_ends_types::FileEvent;
use fsgate_contract::limits::{FRONT_END_FILE_BYTES, PLUGIN_TRIES};
use fsgate_contract::media_type::by_name;
use fsgate_contract::read_types::{ReadBytesArgs, ReadManyArgs, StatArgs};
use fsgate_contract::types::{Code, Entry, Kind};
use fsgate_volume::etag;

const WINDOW_BYTES: u32 = 786_432;

const PATHS: usize = 1_000;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileContent<'a> {
    path: &'a str,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    size: usize,
}

impl<T: Tools> PluginExecutor<'_, T> {
    pub(super) fn read(&self, path: &str, encoding: ContentEncoding) -> CallOutput {
        let location = PluginPath::below(path)?;
        let entry = self.file(&location)?;
        if entry.size > FRONT_END_FILE_BYTES {
            return Err(too_large(entry.size));
        }
        if entry.size > self.room as u64 {
            return Err(self.no_room());
        }
        let bytes = self.bytes(&location)?;
        let size = bytes.len();
        let content = encoding.text(bytes).map_err(|offset| {
            PluginFailure::new(
                &Code::NotText(offset),
                format!("the byte at offset {offset} begins no character; ask for `base64`"),
            )
        })?;
        let mime_type = self.mime_type(&location)?;
        Ok(json!(FileContent { path: location.path(), content, mime_type, size }))
    }

    pub(super) fn output(&mut self, path: &str, description: Option<String>) -> PluginAnswer {
        let found = PluginPath::below(path).map_err(PluginFailure::from).and_then(|location| {
            self.file(&location)?;
            // Delivery reads the file, so an unreadable one is not handed on.
            let head = ReadBytesArgs { path: location.asked(), length: Some(1), ..ReadBytesArgs::default() };
            self.tools.call(&head).map_err(PluginFailure::from)?;
            Ok((self.mime_type(&location)?, location))
        });
        let (mime_type, location) = match found {
            Ok(found) => found,
            Err(failure) => {
                let is_answered =
                    [Code::NotFound, Code::IsDirectory].iter().any(|code| code.name() == failure.code);
                let output = is_answered.then(|| json!({"sent": false}));
                return PluginAnswer { output, ..PluginAnswer::failed(failure.at(path)) };
            }
        };
        let path = location.path().to_owned();
        let description = description.filter(|description| !description.is_empty());
        let dash = description.as_ref().map(|description| format!(" — {description}")).unwrap_or_default();
        let message = format!("[File sent to user: \"{path}\"{dash}]");
        let event = FileEvent { path, mime_type, description, message };
        let answer = PluginAnswer::sent(&event);
        self.events.push(event);
        answer
    }

    fn file(&self, location: &PluginPath) -> Result<Entry, PluginFailure> {
        let args = StatArgs { path: location.asked(), ..StatArgs::default() };
        let entry = self.tools.call(&args).map_err(PluginFailure::from)?.entry;
        if entry.kind == Kind::Directory {
            return Err(PluginFailure::new(&Code::IsDirectory, "this is a directory, not a file"));
        }
        Ok(entry)
    }

    /// All of a file, from one moment.
    fn bytes(&self, location: &PluginPath) -> Result<Vec<u8>, PluginFailure> {
        for _ in 0..PLUGIN_TRIES {
            let (bytes, is_one_answer) = self.windows(location)?;
            let args = StatArgs { path: location.asked(), with_etag: Some(true), ..StatArgs::default() };
            let tag =
                || self.tools.call(&args).map(|outcome| outcome.entry.etag).map_err(PluginFailure::from);
            if is_one_answer || tag()?.as_deref() == Some(&etag::of(&bytes)) {
                return Ok(bytes);
            }
        }
        Err(PluginFailure::new(&Code::Busy, "it is being changed while it is read"))
    }

    /// All of a file, and whether one window sufficed.
    fn windows(&self, location: &PluginPath) -> Result<(Vec<u8>, bool), PluginFailure> {
        let mut args =
            ReadBytesArgs { path: location.asked(), length: Some(WINDOW_BYTES), ..ReadBytesArgs::default() };
        let mut bytes = Vec::new();
        loop {
            let window = self.tools.call(&args).map_err(PluginFailure::from)?;
            if window.size > FRONT_END_FILE_BYTES {
                return Err(too_large(window.size));
            }
            let is_end = window.end || window.bytes.is_empty();
            bytes.extend(window.bytes);
            if is_end {
                return Ok((bytes, args.offset.is_none()));
            }
            args.offset = Some(bytes.len() as u64);
        }
    }

    fn mime_type(&self, location: &PluginPath) -> Result<Option<String>, PluginFailure> {
        let said = self.sidecar(location)?.and_then(|sidecar| sidecar.mime_type);
        Ok(said.or_else(|| by_name(location.path()).map(str::to_owned)))
    }

    pub(super) fn sidecar(&self, location: &PluginPath) -> Result<Option<Sidecar>, PluginFailure> {
        Ok(self.sidecars(&[location.sidecar()])?.pop().flatten())
    }

    pub(super) fn sidecars(&self, paths: &[String]) -> Result<Vec<Option<Sidecar>>, PluginFailure> {
        let mut found = Vec::with_capacity(paths.len());
        while found.len() < paths.len() {
            let rest = &paths[found.len()..];
            let args = ReadManyArgs {
                paths: rest[..rest.len().min(PATHS)].to_vec(),
                max_bytes: Some(PAGE_BYTES),
                ..ReadManyArgs::default()
            };
            let page = self.tools.call(&args).map_err(PluginFailure::from)?;
            if page.files.is_empty() {
                break;
            }
            found.extend(page.files.into_iter().map(|file| file.content.as_deref().map(Sidecar::read)));
        }
        Ok(found)
    }
}

fn too_large(size: u64) -> PluginFailure {
    let most = FRONT_END_FILE_BYTES;
    PluginFailure::new(&Code::TooLarge(most), format!("it has {size} bytes, and at most {most} are read"))
}
