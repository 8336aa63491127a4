//! `filesystem.write` and `filesystem.remove`.

use serde_json::json;

use super::encoding::ContentEncoding;
use super::execute::{CallOutput, PluginExecutor};
use super::failure::PluginFailure;
use super::location::PluginPath;
use super::sidecar::{Sidecar, is_media_type, moment};
use crate::{Tools, answered};
use fsgate_contract::edit_types::{ApplyArgs, Edit, WriteArgs, WriteBytesArgs};
use fsgate_contract::limits::{MEDIA_TYPE_BYTES, PLUGIN_ESCAPED_BYTES, PLUGIN_TRIES};
use fsgate_contract::manage_types::{DeleteArgs, DeleteDirectoryArgs};
use fsgate_contract::read_types::StatArgs;
use fsgate_contract::types::{Code, Error, Kind};
use fsgate_text::escape::escaped;
use fsgate_volume::etag;

enum JointWrite {
    Done,
    /// The file kept an unwanted byte order mark.
    Otherwise,
    /// Too large for one change; nothing changed.
    Untried,
}

impl<T: Tools> PluginExecutor<'_, T> {
    pub(super) fn write(
        &self,
        path: &str,
        content: String,
        encoding: ContentEncoding,
        mime_type: Option<String>,
    ) -> CallOutput {
        let location = PluginPath::below(path)?;
        let invalid = |field: &str, problem: String| {
            PluginFailure::new(&Code::InvalidArgument(field.to_owned()), problem)
        };
        let mime_type = mime_type.filter(|name| !name.is_empty());
        if mime_type.as_deref().is_some_and(|name| !is_media_type(name)) {
            let problem = format!("`mimeType` has at most {MEDIA_TYPE_BYTES} characters of ASCII");
            return Err(invalid("mimeType", problem));
        }
        let bytes = encoding.bytes(content).map_err(|problem| invalid("content", problem))?;
        let sidecar =
            Sidecar { mime_type, created_at: self.created(&location)?, updated_at: self.now.clone() };
        // A write follows the link.
        if self.own(location.sidecar())? == Some(Kind::Link) {
            return Err(PluginFailure::new(
                &Code::Exists,
                "a link stands where its sidecar would be; remove it first",
            ));
        }
        match self.put_together(&location, &bytes, &sidecar)? {
            JointWrite::Done => {}
            JointWrite::Otherwise => self.put_in_turn(&location, &bytes, &sidecar, true)?,
            JointWrite::Untried => self.put_in_turn(&location, &bytes, &sidecar, false)?,
        }
        Ok(json!({"path": location.path(), "size": bytes.len()}))
    }

    /// The creation time of a file to write. An error prevents the write too, or the time is
    /// unknown.
    fn created(&self, location: &PluginPath) -> Result<Option<String>, PluginFailure> {
        let args = StatArgs { path: location.asked(), ..StatArgs::default() };
        match self.tools.call(&args) {
            Ok(there) => {
                let modified = there.entry.modified.as_deref().and_then(moment);
                Ok(self.sidecar(location)?.and_then(|sidecar| sidecar.created_at).or(modified))
            }
            Err(Error { code: Code::NotFound, .. }) => Ok(self.now.clone()),
            refused => answered(refused).map(|_| None).map_err(PluginFailure::from),
        }
    }

    /// Writes a file and its sidecar atomically.
    fn put_together(
        &self,
        location: &PluginPath,
        bytes: &[u8],
        sidecar: &Sidecar,
    ) -> Result<JointWrite, PluginFailure> {
        let edit = |path: String, content: String| Edit { path, content: Some(content), ..Edit::default() };
        let content = escaped(bytes);
        if content.len() > PLUGIN_ESCAPED_BYTES {
            return Ok(JointWrite::Untried);
        }
        let edits = vec![
            edit(location.asked(), content),
            edit(location.sidecar(), escaped(sidecar.written().as_bytes())),
        ];
        let args = ApplyArgs { edits: Some(edits), escaped: Some(true), ..ApplyArgs::default() };
        let outcome = self.tools.call(&args).map_err(PluginFailure::from)?;
        let written = outcome.files.first().and_then(|file| file.etag.as_deref());
        Ok(if written == Some(&etag::of(bytes)) { JointWrite::Done } else { JointWrite::Otherwise })
    }

    /// Removes the sidecar, writes the file, and writes the sidecar anew: a missing one is derived
    /// correctly. `has_begun`: a change was made.
    fn put_in_turn(
        &self,
        location: &PluginPath,
        bytes: &[u8],
        sidecar: &Sidecar,
        has_begun: bool,
    ) -> Result<(), PluginFailure> {
        let begun = |error: Error, begun| PluginFailure {
            applied: error.applied || begun || has_begun,
            ..PluginFailure::from(error)
        };
        let mut write =
            WriteBytesArgs { path: location.asked(), bytes: bytes.to_vec(), ..WriteBytesArgs::default() };
        // Refusals precede the removal.
        write.dry_run = Some(true);
        self.tools.call(&write).map_err(|error| begun(error, false))?;
        write.dry_run = None;
        let delete = DeleteArgs { path: location.sidecar(), ..DeleteArgs::default() };
        let was_there = match self.tools.call(&delete) {
            Ok(_) => true,
            Err(Error { code: Code::NotFound, .. }) => false,
            Err(error) => return Err(begun(error, false)),
        };
        // A begun change is completed even after the text's end.
        self.tools.restore(&write).map_err(|error| begun(error, was_there))?;
        let write =
            WriteArgs { path: location.sidecar(), content: sidecar.written(), ..WriteArgs::default() };
        self.tools.restore(&write).map_err(|error| begun(error, true))?;
        Ok(())
    }

    pub(super) fn remove(&self, path: &str) -> CallOutput {
        let location = PluginPath::below(path)?;
        let mut removed = self.removed(&location);
        for _ in 1..PLUGIN_TRIES {
            let is_gone = |failure: &PluginFailure| failure.code == Code::NotFound.name() && !failure.applied;
            if !removed.as_ref().is_err_and(is_gone) {
                break;
            }
            // Another program removed it meanwhile.
            removed = self.removed(&location);
        }
        Ok(json!({"removed": removed?}))
    }

    /// Removes a file; whether it existed.
    fn removed(&self, location: &PluginPath) -> Result<bool, PluginFailure> {
        let kind = match self.own(location.asked())? {
            Some(Kind::Directory) => {
                let args = DeleteDirectoryArgs {
                    path: location.asked(),
                    recursive: Some(true),
                    ..DeleteDirectoryArgs::default()
                };
                self.tools.call(&args).map_err(PluginFailure::from)?;
                return Ok(true);
            }
            kind => kind,
        };
        let sidecar = if self.own(location.sidecar())?.is_some() { Some(location.sidecar()) } else { None };
        let delete = |path| Edit { path, delete: Some(true), ..Edit::default() };
        let edits: Vec<_> = kind.map(|_| location.asked()).into_iter().chain(sidecar).map(delete).collect();
        if !edits.is_empty() {
            let args = ApplyArgs { edits: Some(edits), ..ApplyArgs::default() };
            self.tools.call(&args).map_err(PluginFailure::from)?;
        }
        Ok(kind.is_some())
    }

    fn own(&self, path: String) -> Result<Option<Kind>, PluginFailure> {
        let args = StatArgs { path, follow: Some(false), ..StatArgs::default() };
        match self.tools.call(&args) {
            Ok(outcome) => Ok(Some(outcome.entry.kind)),
            Err(Error { code: Code::NotFound, .. }) => Ok(None),
            Err(error) => Err(PluginFailure::from(error)),
        }
    }
}
