//! Sentences about faults of a volume.

use super::sentences::{Sentence, say};
use super::{Denial, policy};
use fsgate_contract::limits::ERROR_TEXT_CHARS;
use fsgate_contract::types::Code;
use fsgate_text::excerpt::cut;
use fsgate_volume::Fault;

pub(super) fn cause(fault: &Fault) -> String {
    match fault {
        Fault::Deadline => "the time for the call was over".to_owned(),
        fault => volume(fault, true).message,
    }
}

pub(super) fn volume(fault: &Fault, writing: bool) -> Sentence {
    const LATER: &str = "look what is there now, and repeat the call";
    let io = |text: &str, repair: &str| say(Code::Io(text.to_owned()), text, repair);
    match fault {
        Fault::ReadOnly => say(
            Code::ReadOnly,
            "the file system is mounted for reading only",
            "use another directory; only the person who runs fsgate can mount it otherwise",
        ),
        Fault::Access | Fault::NotPermitted if writing => say(
            Code::ReadOnly,
            "the operating system does not allow writing here",
            "leave it as it is, or use another path; only the person who runs fsgate can change who may write here",
        ),
        Fault::NoSpace => say(Code::NoSpace, "the disk is full", "make room and repeat the call"),
        Fault::Quota => say(Code::Quota, "the disk quota is used up", "make room and repeat the call"),
        Fault::FileTooLarge => say(
            Code::Io("file too large".to_owned()),
            "the file would be larger than the file system allows",
            "write less, or into several files",
        ),
        Fault::Deadline => say(
            Code::Deadline,
            "the time for the call is over, and nothing was changed",
            "ask for less at once, or start with more time, `--deadline SECONDS`",
        ),
        // The system says so of a mount point or a running program, our host of a half-written
        // file.
        Fault::Busy => say(
            Code::Busy,
            "another program uses it now, or has left it half changed",
            "repeat the call later; a person completes a change that was cut short with `fsgate recover` over that \
             directory, granted for writing",
        ),
        Fault::CrossDevice => say(
            Code::CrossDevice,
            "the two names are on different file systems, or in different layers of one",
            "copy it with `copy`, and delete what is left, file by file where a directory cannot be renamed",
        ),
        Fault::NotEmpty => say(
            Code::NotEmpty,
            "the directory is not empty",
            "look at it with `list_directory` and `include_hidden`, and take away what is in it first",
        ),
        Fault::Unsupported => say(
            Code::Unsupported,
            "the file system cannot do this",
            "use a directory on another file system, or do without it",
        ),
        Fault::Access | Fault::NotPermitted => io(
            "the operating system denies access",
            "use another path; only the person who runs fsgate can change who may open it",
        ),
        Fault::Io(text) => io(
            &format!("the operating system failed: {}", cut(text, ERROR_TEXT_CHARS)),
            "repeat the call once; if it fails again, tell the person who runs fsgate",
        ),
        // Only `unrecovered` has these here; they have their own reasons.
        Fault::Denied(rule) => policy::denied(rule, Denial::Open),
        Fault::OverLimit(most) => policy::over_limit(*most),
        Fault::NotFound => io("the file has gone", LATER),
        Fault::IntoItself => io("the directory would move into itself", LATER),
        Fault::Exists
        | Fault::IsDirectory
        | Fault::NotDirectory
        | Fault::Loop
        | Fault::NameTooLong
        | Fault::InvalidName => io("something else has taken the file's place", LATER),
    }
}
