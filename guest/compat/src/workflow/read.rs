//! Tools that read one file.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::DecoderResult;
use serde_json::{Value, json};

use super::convert::{ToolArguments, error};
use super::execute::{BlockAnswer, WorkflowExecutor};
use super::listing::item;
use super::repair::mistyped;
use crate::complete_file::PAGE_BYTES;
use crate::{Tools, answered};
use fsgate_contract::limits::FRONT_END_FILE_BYTES;
use fsgate_contract::manage_types::{CreateDirectoryArgs, DeleteArgs};
use fsgate_contract::path::join;
use fsgate_contract::read_types::{ReadArgs, ReadBytesArgs, ReadNumberedArgs, ReadOutcome, StatArgs};
use fsgate_contract::types::{Code, Entry, Error, Kind, Stop};
use fsgate_error::{EncodingProblem, Reason};
use fsgate_text::lines::{contents, end_of_whole_lines};

pub(super) const BASE64: &str = "base64";

const BYTES: u32 = 786_432;

/// An unused name, to test a directory for writing.
const TRIAL: &str = ".fsgate-trial";

struct FileLines {
    content: String,
    last: ReadOutcome,
    escaped: bool,
}

impl<T: Tools> WorkflowExecutor<'_, T> {
    pub(super) fn read(&self, given: &ToolArguments) -> BlockAnswer {
        let path = given.text("file_path");
        let entry = self.stat(given, path)?;
        let most = u64::from(given.number("max_size_mb")) << 20;
        // A window of a larger file is allowed.
        if entry.kind == Kind::File && entry.size > most && !windowed(given) {
            return Err(larger(given, most));
        }
        let encoding = given.perhaps("encoding");
        if encoding.is_some_and(|encoding| encoding.eq_ignore_ascii_case(BASE64)) {
            if windowed(given) {
                let problem = "bytes in base64 have no lines to choose from".to_owned();
                return Err(mistyped(given.tool, "encoding", problem));
            }
            return self.bytes(given, path);
        }
        let lines = match self.lines(given, path) {
            // Other files than text become bytes.
            Err(Error { code: Code::NotText(_), .. }) if encoding.is_none() && !windowed(given) => {
                return self.bytes(given, path);
            }
            lines => lines?,
        };
        if let Some(label) = encoding.filter(|_| lines.escaped) {
            let offset = self.undecodable(given, path, label)?;
            let problem = EncodingProblem::NotInNamed { offset, label: label.to_owned() };
            return Err(given.refused(Reason::Encoding(problem)));
        }
        let Entry { checksum, etag, size, modified, .. } = self.checked(given, path)?;
        let shown = &lines.last;
        let is_same = match shown.etag.starts_with('r') {
            true => size == shown.size && modified == shown.modified,
            false => etag.as_ref() == Some(&shown.etag),
        };
        // Another program changed it meanwhile.
        if !is_same {
            return Err(given.refused(Reason::Stale(etag.unwrap_or_default())));
        }
        let count = shown.line_count.map_or_else(|| self.line_count(given, path), Ok)?;
        let mut result = json!({
            "content": lines.content,
            "encoding": shown.encoding.to_lowercase(),
            "sizeBytes": shown.size,
            "lineCount": count,
            "lastModified": shown.modified,
            "checksum": checksum,
        });
        if let Some(result) = result.as_object_mut().filter(|_| lines.escaped) {
            result.insert("escaped".to_owned(), true.into());
        }
        Ok(result)
    }

    fn lines(&self, given: &ToolArguments, path: &str) -> Result<FileLines, Error> {
        let wanted = Some(given.number("max_lines")).filter(|wanted| *wanted > 0);
        let mut args = ReadArgs {
            path: path.to_owned(),
            encoding: given.perhaps("encoding").map(str::to_owned),
            skip_lines: Some(given.number("skip_lines")),
            max_lines: wanted,
            max_bytes: Some(PAGE_BYTES),
            ..ReadArgs::default()
        };
        let (mut content, mut escaped) = (String::new(), false);
        loop {
            let mut page = self.call(given, &args)?;
            content += &std::mem::take(&mut page.content);
            escaped |= page.escaped;
            if content.len() as u64 > FRONT_END_FILE_BYTES {
                return Err(larger(given, FRONT_END_FILE_BYTES));
            }
            if page.stopped != Some(Stop::Bytes) {
                return Ok(FileLines { content, last: page, escaped });
            }
            args.cursor = page.next_cursor;
            args.skip_lines = None;
            // An open line is incomplete.
            let whole = contents(&content[..end_of_whole_lines(content.as_bytes())]).count();
            let shown = u32::try_from(whole).unwrap_or(u32::MAX);
            args.max_lines = wanted.map(|wanted| wanted.saturating_sub(shown).max(1));
        }
    }

    fn bytes(&self, given: &ToolArguments, path: &str) -> BlockAnswer {
        let mut bytes = Vec::new();
        self.each_page(given, path, |page, _| {
            bytes.extend_from_slice(page);
            match bytes.len() as u64 > FRONT_END_FILE_BYTES {
                true => Err(larger(given, FRONT_END_FILE_BYTES)),
                false => Ok(true),
            }
        })?;
        let entry = self.checked(given, path)?;
        Ok(json!({
            "content": STANDARD.encode(&bytes),
            "encoding": BASE64,
            "sizeBytes": bytes.len(),
            "lineCount": 0,
            "lastModified": entry.modified,
            "checksum": entry.checksum,
        }))
    }

    /// Reads bytes by page until `sink` breaks. Returns the last page.
    fn each_page(
        &self,
        given: &ToolArguments,
        path: &str,
        mut see: impl FnMut(&[u8], bool) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut offset = 0;
        loop {
            let (path, length) = (path.to_owned(), Some(BYTES));
            let page = self.call(given, &ReadBytesArgs { path, offset: Some(offset), length })?;
            if !see(&page.bytes, page.end)? || page.end {
                return Ok(());
            }
            offset += page.bytes.len() as u64;
        }
    }

    fn undecodable(&self, given: &ToolArguments, path: &str, label: &str) -> Result<u64, Error> {
        let Some(encoding) = encoding_rs::Encoding::for_label(label.as_bytes()) else { return Ok(0) };
        let mut decoder = encoding.new_decoder_with_bom_removal();
        let mut text = vec![0; 64 << 10];
        let (mut offset, mut found) = (0, 0);
        self.each_page(given, path, |mut page, is_last| {
            loop {
                let (result, read, _) = decoder.decode_to_utf8_without_replacement(page, &mut text, is_last);
                offset += read as u64;
                page = &page[read..];
                match result {
                    DecoderResult::InputEmpty => return Ok(true),
                    DecoderResult::OutputFull => {}
                    DecoderResult::Malformed(length, behind) => {
                        found = offset.saturating_sub(u64::from(length) + u64::from(behind));
                        return Ok(false);
                    }
                }
            }
        })?;
        Ok(found)
    }

    fn line_count(&self, given: &ToolArguments, path: &str) -> Result<u32, Error> {
        let last = u32::MAX.to_string();
        let encoding = given.perhaps("encoding").map(str::to_owned);
        let args = ReadNumberedArgs {
            path: path.to_owned(),
            lines: Some(last),
            encoding,
            ..ReadNumberedArgs::default()
        };
        let outcome = self.call(given, &args)?;
        Ok(outcome.out_of_range.map_or(u32::MAX, |range| range.total))
    }

    fn checked(&self, given: &ToolArguments, path: &str) -> Result<Entry, Error> {
        let args = StatArgs {
            path: path.to_owned(),
            checksum: Some(true),
            with_etag: Some(true),
            ..StatArgs::default()
        };
        self.call(given, &args).map(|outcome| outcome.entry)
    }

    pub(super) fn info(&self, given: &ToolArguments) -> BlockAnswer {
        let entry = self.stat(given, given.text("path"))?;
        let permissions = if self.is_writable(given, &entry)? { "read-write" } else { "read-only" };
        let created = self.created(given, &entry);
        let mut result = item(&entry, entry.kind, created.as_deref());
        if let Value::Object(result) = &mut result {
            result.insert("mimeType".to_owned(), entry.media_type.into());
            result.insert("permissions".to_owned(), permissions.into());
        }
        Ok(result)
    }

    /// Whether it is writable, by a change without effect: no operation returns the mode.
    fn is_writable(&self, given: &ToolArguments, entry: &Entry) -> Result<bool, Error> {
        let dry_run = Some(true);
        if entry.kind == Kind::Directory {
            let path = join(&entry.path, TRIAL);
            let args = CreateDirectoryArgs { path, dry_run, ..CreateDirectoryArgs::default() };
            return Ok(answered(self.call(given, &args))?.is_some());
        }
        let args = DeleteArgs { path: entry.path.clone(), dry_run, ..DeleteArgs::default() };
        Ok(answered(self.call(given, &args))?.is_some())
    }
}

fn windowed(given: &ToolArguments) -> bool {
    given.number("max_lines") > 0 || given.number("skip_lines") > 0
}

fn larger(given: &ToolArguments, most: u64) -> Error {
    let message = format!("it has more than {most} bytes");
    let repair = match windowed(given) {
        true => "ask for fewer lines with `max_lines`",
        false => {
            "raise `max_size_mb` as far as the policy allows, or read a part with `max_lines` and `skip_lines`"
        }
    };
    let repair = repair.to_owned();
    let error = error(given.tool.name, Code::TooLarge(most), message, Some(repair));
    Error { path: Some(given.path().to_owned()), ..error }
}
