//! `replace`: one occurrence of a text, every other byte untouched.

use crate::changes::Change;
use crate::edit::search::{self, TextEdit};
use crate::edit::splice::SplicePlan;
use crate::file::encoding::TextFormat;
use crate::view::View;
use fsgate_contract::edit_types::{ReplaceArgs, ReplaceOutcome};
use fsgate_error::Failure;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(
    view: &View<V>,
    args: &ReplaceArgs,
) -> Result<(ReplaceOutcome, Vec<Change<V>>), Failure> {
    let file = view.open_for_change(&args.path, args.if_match.as_deref())?;
    let edit = TextEdit {
        old: &args.old,
        new: &args.new,
        format: TextFormat { label: args.encoding.as_deref(), escaped: args.escaped() },
        exact_line_ends: args.exact_line_ends(),
        section: args.section.as_deref(),
    };
    let (plan, line, adapted) = search::replace(file, &edit, args.occurrence, args.diff())?;
    let SplicePlan { path, etag_before, etag, bytes_written, diff, notes, change } = plan;
    let outcome = ReplaceOutcome {
        path,
        etag_before,
        etag,
        bytes_written,
        replacements: 1,
        lines: super::count(line).into_iter().collect(),
        line_ends_adapted: adapted,
        undo_id: None,
        diff,
        notes,
    };
    Ok((outcome, vec![change]))
}
