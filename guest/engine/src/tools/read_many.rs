//! `read-many`: several files in one call, each on its own.

use crate::file::encoding;
use crate::pager::{self, Page, Request};
use crate::view::View;
use fsgate_contract::Arguments;
use fsgate_contract::limits::ECHO_BYTES;
use fsgate_contract::read_types::{FileRead, ReadManyArgs, ReadManyOutcome};
use fsgate_contract::types::{Left, Stop};
use fsgate_error::{Failure, Reason};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReadManyArgs) -> Result<ReadManyOutcome, Failure> {
    // This concerns the whole call.
    args.encoding.as_deref().map(encoding::named).transpose()?;
    let mut room = args.max_bytes() as usize;
    let mut files = Vec::new();
    let mut echoed = 0;
    let mut joined = args.joined().then(String::new);
    for path in &args.paths {
        let heading = match &joined {
            Some(text) if text.is_empty() => format!("=== {path} ===\n"),
            Some(_) => format!("\n\n=== {path} ===\n"),
            None => String::new(),
        };
        let left = room.checked_sub(heading.len()).filter(|left| *left > 0);
        if left.is_none() && !files.is_empty() {
            break;
        }
        let page = match left {
            Some(left) => read(view, path, left, args.encoding.as_deref()),
            // The error reports that the first heading does not fit.
            None => Err(too_small(path, args.max_bytes())),
        };
        let mut file = FileRead { path: path.clone(), ..FileRead::default() };
        let mut content = String::new();
        match page {
            Ok(page) => {
                room -= heading.len() + page.text.len();
                file.encoding = page.other_encoding();
                file.escaped = page.escaped.then_some(true);
                file.etag = Some(page.etag);
                file.next_cursor = page.next_cursor;
                content = page.text;
            }
            // The rest of the budget holds no character of it.
            Err(failure) if failure.is_budget() && !files.is_empty() => break,
            Err(failure) => {
                file.error = Some(failure.into_error(ReadManyArgs::OPERATION));
            }
        }
        // Long paths and errors fill an answer as well.
        echoed += serde_json::to_string(&file).map_or(0, |json| json.len());
        if echoed > ECHO_BYTES && !files.is_empty() {
            break;
        }
        match &mut joined {
            Some(text) if file.error.is_none() => text.extend([heading, content]),
            Some(_) => {}
            None => file.content = file.error.is_none().then_some(content),
        }
        let cut = file.next_cursor.is_some();
        files.push(file);
        if cut {
            break;
        }
    }
    let left = (args.paths.len() - files.len()) as u64;
    let cut = files.last().is_some_and(|file| file.next_cursor.is_some());
    Ok(ReadManyOutcome {
        content: joined,
        left: (left > 0).then_some(Left { count: left, exact: true }),
        stopped: (left > 0 || cut).then_some(Stop::Bytes),
        files,
        ..ReadManyOutcome::default()
    })
}

fn too_small(path: &str, budget: u32) -> Failure {
    Reason::BudgetTooSmall { line: 1, budget, ceiling: ReadManyArgs::MAX_BYTES_HIGH }.at(path)
}

fn read<V: Volume>(
    view: &View<V>,
    path: &str,
    max_bytes: usize,
    encoding: Option<&str>,
) -> Result<Page, Failure> {
    let source = view.open(path)?;
    let max_bytes = u32::try_from(max_bytes).unwrap_or(u32::MAX);
    let request = Request { encoding, first: 1, max_bytes, ..Request::default() };
    pager::read(&source, &request)
}
