//! Notes that several tools make.

use crate::contract::types::Note;

/// Something is gone for good.
pub(crate) fn no_undo() -> Note {
    note("no_undo", "what was deleted or replaced is not kept anywhere: there is no undo")
}

/// A copy is not the file that it was made from.
pub(crate) fn new_file() -> Note {
    note(
        "new_file",
        "a copy has the permissions, the owner and the time of a new file, whatever the original has",
    )
}

/// Something was not copied or not looked at.
pub(crate) fn left_out(text: &str) -> Note {
    note("left_out", text)
}

fn note(kind: &str, text: &str) -> Note {
    Note { kind: kind.to_owned(), text: text.to_owned() }
}
