//! Sentences about stopped calls.

use super::sentences::{Sentence, say};
use super::{ChangeState, Interruption};
use fsgate_contract::limits::ERROR_TEXT_CHARS;
use fsgate_contract::types::Code;
use fsgate_text::excerpt::cut;

const LOOK_AROUND: &str = "look what is there before you go on, hidden names too: a file may hold a part of the change, others may \
    be done, and what was not finished may be left under a name that begins with `.fsgate-`, which can be deleted";

pub(super) fn sentence(stop: &Interruption, standing: ChangeState) -> Sentence {
    let limit = |which: &str| Code::Limit(which.to_owned());
    let (code, mut message, repair) = match stop {
        Interruption::Deadline(time) => {
            (Code::Deadline, format!("the call was stopped after {time:?}"), "ask for less at once")
        }
        Interruption::TextDeadline(time) => (
            Code::Deadline,
            format!("the text that makes the call was stopped after {time:?}"),
            "send what is left of it as another text",
        ),
        Interruption::Memory(bytes) => (
            limit("memory"),
            format!("the call was stopped: it needs more than {bytes} bytes of memory"),
            "ask for less at once",
        ),
        Interruption::HostMemory(bytes) => (
            limit("host_memory"),
            format!("the call was stopped: it hands more than {bytes} bytes to its host at once"),
            "ask for less at once",
        ),
        Interruption::Handles(most) => (
            limit("handles"),
            format!("the call was stopped: it needs more than {most} things open at once"),
            "ask for less at once, or use shorter paths",
        ),
        Interruption::Cancelled => {
            (Code::Cancelled, "the call was taken back".to_owned(), "make it again if it is wanted after all")
        }
        Interruption::Trap(text) => (
            Code::Other(cut(text, ERROR_TEXT_CHARS).into_owned()),
            "the component failed; this is a fault in fsgate".to_owned(),
            "report it, with the call that caused it",
        ),
    };
    let repair = match standing {
        ChangeState::Untouched => repair,
        ChangeState::RolledBack => {
            message += "; nothing of its change is left";
            repair
        }
        ChangeState::Done => {
            message += "; its change is made";
            "look at the result before you go on; `undo` takes it back"
        }
        ChangeState::Unknown => LOOK_AROUND,
    };
    say(code, message, repair)
}
