//! Sentences about paths.

use super::sentences::{Sentence, say};
use fsgate_contract::path::PathProblem;
use fsgate_contract::path::spelling::Beginning;
use fsgate_contract::types::Code;
use fsgate_text::excerpt::quoted;

pub(super) fn sentence(problem: PathProblem) -> Sentence {
    const PLAIN: &str = "give a path such as `src/main.rs`";
    let (message, repair) = match problem {
        PathProblem::Empty => ("the path is empty", PLAIN),
        PathProblem::Nul => ("the path has a NUL byte", PLAIN),
        PathProblem::Backslash => ("the path has a backslash, which this host takes for a separator", PLAIN),
        PathProblem::NamesDirectory => ("the path can only name a directory, and a file is needed", PLAIN),
        PathProblem::NotANameHere => {
            ("the path has a segment that the file system cannot hold as a name", PLAIN)
        }
        PathProblem::SlashBehindLink => {
            ("the path ends in `/` and names a link, which is moved and deleted itself", "leave the `/` out")
        }
        PathProblem::RemoteUrl => {
            ("the URL names another machine", "give a path, or a URL such as `file:///src/main.rs`")
        }
        PathProblem::UndecodableUrl => ("the URL has bytes that are not UTF-8", PLAIN),
        PathProblem::AmbiguousUrl => (
            "the URL has a `#` or `?` that may belong to the name",
            "leave out what follows the name, or write `%23` for `#` and `%3F` for `?`",
        ),
        PathProblem::GrantItself => (
            "this is a granted directory, which is neither moved nor deleted",
            "give the path of something in it",
        ),
        PathProblem::HoldsGrant => (
            "there is a granted directory in this one, and it is neither moved nor deleted",
            "give the paths of the other things in it",
        ),
    };
    say(Code::InvalidPath, message, repair)
}

pub(super) fn dangling(target: Option<&str>) -> Sentence {
    let message = format!("the path is a link to {}", missing(target));
    say(Code::NotFound, message, "give another path, or make the target of the link")
}

/// The same in place of a new directory.
pub(super) fn link_in_the_way(target: Option<&str>) -> Sentence {
    let message = format!("this name is a link to {}, so no directory can have it", missing(target));
    say(Code::Exists, message, "choose another name, move the link away, or make its target a directory")
}

fn missing(target: Option<&str>) -> String {
    target.map_or_else(|| "nothing".to_owned(), |target| format!("{}, and nothing is there", quoted(target)))
}

/// A missing path with wildcards; `argument` accepts patterns.
pub(super) fn wild(argument: Option<&str>) -> Sentence {
    let repair = argument.map(|name| format!("; a pattern goes into `{name}`")).unwrap_or_default();
    say(
        Code::NotFound,
        "no such file or directory, and wildcards in a path are not expanded",
        format!("give a path without wildcards{repair}"),
    )
}

pub(super) fn not_literal(beginning: Beginning, meant: &str, start: &str) -> Sentence {
    let message = match beginning {
        Beginning::Home => "the path begins with `~`, which is not expanded here",
        Beginning::Variable => "the path begins with a variable, which is not expanded here",
        Beginning::Windows => "the path is one of Windows, and is no path here",
        Beginning::Quotes => "the path is in quotes, which would belong to the name",
        Beginning::Url => "the path begins as a URL, and only `file:///` is taken for one here",
    };
    let other = if meant.is_empty() { "another path".to_owned() } else { quoted(meant) };
    let repair = format!(
        "give {other}, which starts in {}; with `./` before it the path is taken literally",
        quoted(start)
    );
    say(Code::InvalidPath, message, repair)
}
