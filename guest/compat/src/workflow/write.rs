//! Tools that change files and directories.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::convert::ToolArguments;
use super::execute::{BlockAnswer, RecordedChange, WorkflowExecutor, backup_of};
use super::read::BASE64;
use super::repair::mistyped;
use crate::Tools;
use fsgate_contract::edit_types::{WriteArgs, WriteBytesArgs};
use fsgate_contract::manage_types::{
    CopyArgs, CopyOutcome, CreateDirectoryArgs, CreateDirectoryOutcome, DeleteArgs, DeleteDirectoryArgs,
    MoveArgs, MoveOutcome,
};
use fsgate_contract::path::spelling::literal;
use fsgate_contract::read_types::StatArgs;
use fsgate_contract::types::Kind;

/// The encoding with a byte order mark.
const UTF_16: &str = "utf-16";

const MARK: char = '\u{FEFF}';

impl<T: Tools> WorkflowExecutor<'_, T> {
    pub(super) fn write(&self, given: &ToolArguments) -> BlockAnswer {
        let path = literal(given.text("file_path"));
        let (overwrite, backup) = (Some(given.flag("overwrite")), Some(given.flag("create_backup")));
        let encoding = given.text("encoding");
        let (path, undo_id, backup, notes) = if encoding.eq_ignore_ascii_case(BASE64) {
            let bytes = STANDARD.decode(given.text("content")).map_err(|_| {
                mistyped(given.tool, "content", "`content` has to be base64 with padding".to_owned())
            })?;
            let args = WriteBytesArgs { path, bytes, overwrite, backup, ..WriteBytesArgs::default() };
            let outcome = self.call(given, &args)?;
            (outcome.path, outcome.undo_id, outcome.backup, outcome.notes)
        } else {
            let mut content = given.text("content").to_owned();
            // Only a mark tells its byte order.
            if encoding.trim().eq_ignore_ascii_case(UTF_16) && !content.starts_with(MARK) {
                content.insert(0, MARK);
            }
            let encoding = Some(encoding.to_owned());
            let args = WriteArgs { path, content, encoding, overwrite, backup, ..WriteArgs::default() };
            let outcome = self.call(given, &args)?;
            (outcome.path, outcome.undo_id, outcome.backup, outcome.notes)
        };
        let change = RecordedChange { path, undo_id, backup, with_size: true, files: None, notes };
        Ok(self.changed(given, change))
    }

    pub(super) fn create_directory(&self, given: &ToolArguments) -> BlockAnswer {
        let args = CreateDirectoryArgs {
            path: literal(given.text("directory_path")),
            parents: Some(given.flag("recursive")),
            ..CreateDirectoryArgs::default()
        };
        let CreateDirectoryOutcome { path, undo_id, notes, .. } = self.call(given, &args)?;
        Ok(self.changed(given, RecordedChange { path, undo_id, notes, ..RecordedChange::default() }))
    }

    pub(super) fn copy(&self, given: &ToolArguments) -> BlockAnswer {
        let glob = pattern(given);
        let is_several = glob.is_some() || given.flag("recursive");
        let args = CopyArgs {
            source: given.text("source_path").to_owned(),
            destination: literal(given.text("destination_path")),
            overwrite: Some(given.flag("overwrite")),
            // A pattern decides its own depth.
            recursive: Some(glob.is_none() && given.flag("recursive")),
            glob,
            ..CopyArgs::default()
        };
        let CopyOutcome { destination: path, undo_id, overwrote, files, notes, .. } =
            self.call(given, &args)?;
        let backup = backup_of(undo_id.as_ref()).filter(|_| overwrote);
        let files = is_several.then_some(files);
        let change = RecordedChange { path, undo_id, backup, with_size: !is_several, files, notes };
        Ok(self.changed(given, change))
    }

    pub(super) fn rename(&self, given: &ToolArguments) -> BlockAnswer {
        let args = MoveArgs {
            source: given.text("source_path").to_owned(),
            destination: literal(given.text("destination_path")),
            overwrite: Some(given.flag("overwrite")),
            recursive: Some(given.flag("recursive")),
            ..MoveArgs::default()
        };
        let MoveOutcome { destination: path, undo_id, overwrote, notes, .. } = self.call(given, &args)?;
        let backup = backup_of(undo_id.as_ref()).filter(|_| overwrote);
        let with_size = !given.flag("recursive");
        Ok(self.changed(given, RecordedChange { path, undo_id, backup, with_size, files: None, notes }))
    }

    pub(super) fn delete(&self, given: &ToolArguments) -> BlockAnswer {
        let path = given.text("file_path").to_owned();
        let confirm = Some(given.flag("confirm"));
        let glob = pattern(given);
        let is_several = glob.is_some() || given.flag("recursive");
        let is_directory = || {
            let args = StatArgs { path: path.clone(), follow: Some(false), ..StatArgs::default() };
            self.call(given, &args).is_ok_and(|outcome| outcome.entry.kind == Kind::Directory)
        };
        let (path, deleted, undo_id, notes) = if glob.is_none() && given.flag("recursive") && is_directory() {
            let args = DeleteDirectoryArgs {
                path,
                recursive: Some(true),
                confirm,
                ..DeleteDirectoryArgs::default()
            };
            let outcome = self.call(given, &args)?;
            (outcome.path, outcome.deleted, outcome.undo_id, outcome.notes)
        } else {
            let outcome = self.call(given, &DeleteArgs { path, glob, confirm, ..DeleteArgs::default() })?;
            (outcome.path, outcome.deleted, outcome.undo_id, outcome.notes)
        };
        let (backup, files) = (backup_of(undo_id.as_ref()), is_several.then_some(deleted));
        Ok(self.changed(given, RecordedChange { path, undo_id, backup, with_size: false, files, notes }))
    }
}

/// The requested pattern; with `recursive` one for names matches at any depth.
fn pattern(given: &ToolArguments) -> Option<String> {
    let pattern = given.perhaps("pattern")?;
    Some(match given.flag("recursive") && !pattern.contains('/') {
        true => format!("**/{pattern}"),
        false => pattern.to_owned(),
    })
}
