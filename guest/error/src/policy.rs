//! Sentences about refusals by the policy.

use super::Denial;
use super::sentences::{Sentence, say};
use fsgate_contract::id::UNFINISHED_CHANGES;
use fsgate_contract::limits::{ERROR_TEXT_CHARS, POLICY_NAMES, QUOTED_CHARS};
use fsgate_contract::types::Code;
use fsgate_text::excerpt::{cut, quoted};

const LEAVE: &str = "leave it as it is and go on without it; only the person who runs fsgate can allow it, in the policy of \
    its configuration";

const UNFINISHED: &str = "a name `.fsgate-ID` belongs to a change that is not finished: take another name, or try again \
    after that change; the person who runs fsgate can remove such a name that stays";

pub(super) fn denied(rule: &str, denial: Denial) -> Sentence {
    let rule_of = |what: &str| format!("the policy rule {} {what}", quoted(rule));
    let message = match denial {
        Denial::Open => rule_of("denies access to it"),
        Denial::Change => rule_of("forbids to change it"),
        Denial::Append => rule_of("allows only to add at its end"),
        Denial::Delete => rule_of("forbids to delete it, to move it and to replace it"),
        Denial::Inside => {
            rule_of("holds for something in this directory, so it is left where it is, as it is")
        }
        Denial::Link => {
            rule_of("leads through this name, so a link may neither be put there nor be taken away")
        }
        Denial::Linked => "the file has other names, and the policy forbids to change such files".to_owned(),
        Denial::Many(most) => {
            format!("the call would change more than {most} files, the most that the policy allows")
        }
    };
    let repair = match denial {
        Denial::Append => {
            "use `append`; only the person who runs fsgate can allow more, in the policy of its configuration"
        }
        Denial::Many(most) if most > 0 => "change fewer files in one call",
        _ if rule == UNFINISHED_CHANGES => UNFINISHED,
        _ => LEAVE,
    };
    say(Code::DeniedByPolicy(cut(rule, QUOTED_CHARS).into_owned()), message, repair)
}

pub(super) fn over_limit(most: u64) -> Sentence {
    say(
        Code::TooLarge(most),
        format!("the file has more than {most} bytes, the most that the policy allows, or would have"),
        "give the lines to `read`, with `max_lines` or `last_lines`; larger files are not read or written as a whole",
    )
}

pub(super) fn too_many_to_ask() -> Sentence {
    say(
        Code::TooLarge(POLICY_NAMES),
        format!(
            "there are more than {POLICY_NAMES} names in the directory, and the policy has to be asked about each of them"
        ),
        "take the directories in it one by one",
    )
}

pub(super) fn unconfirmed() -> Sentence {
    say(
        Code::ConfirmationRequired,
        "the policy asks for a confirmation before anything is deleted",
        "ask the person you work for; if they agree, repeat the call with `confirm: true`",
    )
}

pub(super) fn invalid(field: &str, problem: &str) -> Sentence {
    say(
        Code::Unsupported,
        format!(
            "the policy in the setting `FSGATE_POLICY` cannot be read: {}: {}",
            quoted(field),
            cut(problem, ERROR_TEXT_CHARS)
        ),
        "correct it, or do not set it, and start again: without it the profile `default` holds",
    )
}
