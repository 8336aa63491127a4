//! Sentences of hosts: session limits, audit, confirmation.

use std::time::Duration;

use super::sentences::{Sentence, say};
use super::{ChangeState, ConfirmationRefusal, Exceeded, volume_faults};
use fsgate_contract::limits::{ERROR_TEXT_CHARS, POLICY_BYTES};
use fsgate_contract::types::Code;
use fsgate_text::excerpt::{cut, quoted};
use fsgate_volume::settings::directory::{Problem, Unread};
use fsgate_volume::{Fault, Kind};

const AUDIT: &str =
    "a person has to make room for the audit file or make it writable, or start without `--audit-required`";

pub(super) fn exceeded(exceeded: &Exceeded) -> Sentence {
    let limit = |which: &str| Code::Limit(which.to_owned());
    match exceeded {
        Exceeded::Calls(most, wait) => say(
            limit("calls"),
            format!("this session may make {most} calls a second, and has no time to wait for this one"),
            format!("call again in {}", rounded(*wait)),
        ),
        Exceeded::Concurrent(running, waiting) => say(
            limit("concurrent"),
            format!("{running} calls of this session are under way, and {waiting} wait for them"),
            "call again when one of them is answered",
        ),
        Exceeded::Result(bytes, most, standing) => {
            let changed = if *standing == ChangeState::Done { "; its change is made" } else { "" };
            let repair = match standing {
                ChangeState::Done => "look at the result before you go on; leave `diff` out of such a call",
                _ => {
                    "ask for less: give a smaller `max_bytes` or `max_items`, fewer paths, or a narrower pattern"
                }
            };
            say(
                limit("result"),
                format!("the answer has {bytes} bytes, and one of this session may have {most}{changed}"),
                repair,
            )
        }
    }
}

pub(super) fn held_up() -> Sentence {
    say(
        Code::Busy,
        "other calls of this session have run for as long as this one may wait for its turn",
        "repeat the call when one of them is answered, or cancel one that takes too long",
    )
}

pub(super) fn half_written() -> Sentence {
    say(
        Code::Busy,
        "the file is being changed, or a program that died left it half changed",
        "repeat the call later; a person completes such a change with `fsgate recover` over that directory, granted for \
         writing",
    )
}

/// The effect of a call that the audit lacks: `was not made`, `is not answered`.
pub(super) fn unaudited(effect: &str, problem: &str) -> Sentence {
    say(
        Code::Io("audit".to_owned()),
        format!("the call cannot be written down, so it {effect}: {}", cut(problem, ERROR_TEXT_CHARS)),
        AUDIT,
    )
}

pub(super) fn not_confirmed(refusing: ConfirmationRefusal) -> Sentence {
    const ASK: &str = "do not repeat the call; ask what is wanted instead";
    match refusing {
        ConfirmationRefusal::Declined => {
            say(Code::ConfirmationRequired, "a person was asked to agree to this call, and said no", ASK)
        }
        ConfirmationRefusal::Dismissed => {
            say(Code::Cancelled, "a person was asked to agree to this call, and closed the question", ASK)
        }
        ConfirmationRefusal::Silent(time) => say(
            Code::ConfirmationRequired,
            format!("a person was asked to agree to this call, and has not answered for {}", rounded(time)),
            "repeat the call when somebody is there to answer",
        ),
        ConfirmationRefusal::Failed => say(
            Code::ConfirmationRequired,
            "a person has to agree to this call, and the client could not ask",
            "tell the person what you wanted to do",
        ),
    }
}

fn rounded(time: Duration) -> String {
    match time.as_millis() {
        millis @ 0..1000 => format!("{} ms", millis + 1),
        _ => format!("{} s", time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0))),
    }
}

pub(super) fn unread(Unread { name, problem }: &Unread) -> Sentence {
    const MEND: &str =
        "a person has to mend it, or to take it out of `/.fsgate-settings`, and to start the host again";
    let (wrong, repair) = match problem {
        Problem::Empty => (
            "nothing is in it".to_owned(),
            "a person has to look at its path on the machine, as some hosts make a directory that is missing; to put a setting into \
             it, or not to mount it; and to start the host again",
        ),
        Problem::Granted(grant) => (
            format!("it is granted as {} as well", quoted(grant)),
            "a person has to keep it apart from all that is granted, and to start the host again",
        ),
        Problem::Unknown => ("no setting has this name".to_owned(), MEND),
        Problem::NotAFile(Kind::Directory) => ("it is a directory and not a file".to_owned(), MEND),
        Problem::NotAFile(Kind::Link) => ("it is a link, and links are not followed".to_owned(), MEND),
        Problem::NotAFile(_) => ("it is not a regular file".to_owned(), MEND),
        Problem::Long => (format!("it has more than {POLICY_BYTES} bytes"), MEND),
        Problem::Undecodable => ("it is not UTF-8".to_owned(), MEND),
        Problem::Fault(fault @ (Fault::Access | Fault::NotPermitted)) => (
            volume_faults::volume(fault, false).message,
            "a person has to allow the host to read it, and to start the host again; in ACT, `--allow 'fs=DIRECTORY/**:ro'`",
        ),
        Problem::Fault(fault) => (volume_faults::volume(fault, false).message, MEND),
    };
    let what = if name.starts_with('/') {
        format!("the directory of settings {}", quoted(name))
    } else {
        format!("the setting in the file {}", quoted(name))
    };
    say(Code::Unsupported, format!("{what} cannot be taken: {wrong}"), repair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_never_told_too_short() {
        for (millis, expected) in [(0, "1 ms"), (20, "21 ms"), (999, "1000 ms"), (1000, "1 s"), (1001, "2 s")]
        {
            assert_eq!(rounded(Duration::from_millis(millis)), expected);
        }
    }

    #[test]
    fn a_change_that_stands_is_told() {
        for (standing, applied, repair) in
            [(ChangeState::Untouched, false, "max_bytes"), (ChangeState::Done, true, "look at the result")]
        {
            let reason = super::super::Reason::Exceeded(Exceeded::Result(11, 10, standing));
            let error = super::super::Failure::from(reason).into_error("write");
            assert_eq!((error.applied, error.code.name()), (applied, "limit"));
            assert!(error.repair.unwrap().contains(repair), "{}", error.message);
        }
    }
}
