//! `outline`: the headings of a document or the definitions in code, with their lines.

use super::count;
use crate::edit::section;
use crate::file::encoding::TextFormat;
use crate::view::View;
use fsgate_contract::limits::OUTLINE_BYTES;
use fsgate_contract::read_types::{OutlineArgs, OutlineOutcome, SectionLines};
use fsgate_error::{EncodingProblem, Failure, SectionProblem};
use fsgate_text::outline;
use fsgate_volume::Volume;
use fsgate_volume::etag::Subtrees;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &OutlineArgs) -> Result<OutlineOutcome, Failure> {
    let source = view.open(&args.path)?;
    let sections = section::kind(&source).map_err(|problem| {
        source.refuse(match problem {
            SectionProblem::TooLarge(size) => SectionProblem::OutlineTooLarge(size),
            _ => SectionProblem::NoOutline,
        })
    })?;
    let format = TextFormat { encoding: args.encoding.as_deref(), escaped: false };
    let source = source.as_whole_text(&format)?;
    let start = source.text_start()?;
    let whole = source.bytes(0..source.size())?;
    let text = &whole[start as usize..];
    if let Some(offset) = memchr::memchr(0, text) {
        return Err(source.refuse(EncodingProblem::NotText(start + offset as u64)));
    }
    let within = match &args.section {
        Some(names) => {
            let range = section::range(&source, Some(names))?;
            (range.start - start) as usize..(range.end - start) as usize
        }
        None => 0..text.len(),
    };
    let mut subtrees = Subtrees::default();
    subtrees.update(&whole);
    let etag = source.tag(&subtrees)?;
    let mut found: Vec<_> = outline::list(text, sections)
        .map_err(|_| source.refuse(SectionProblem::NoOutline))?
        .into_iter()
        .filter(|one| within.start <= one.place.start && one.place.end <= within.end)
        .collect();
    let outermost = found.iter().map(|one| one.depth).min().unwrap_or_default();
    let levels = args.max_depth.map_or(usize::MAX, |levels| levels as usize);
    found.retain(|one| one.depth - outermost < levels);
    let total = count(found.len() as u64).unwrap_or(u32::MAX);
    let mut bytes = 0;
    let sections = found
        .into_iter()
        .take(args.max_items() as usize)
        .take_while(|one| {
            bytes += one.name.len();
            bytes <= OUTLINE_BYTES
        })
        .map(|one| SectionLines {
            depth: (one.depth - outermost) as u32,
            first: *one.lines.start(),
            last: *one.lines.end(),
            name: one.name,
        })
        .collect();
    Ok(OutlineOutcome { path: source.path().to_owned(), sections, total, etag })
}
