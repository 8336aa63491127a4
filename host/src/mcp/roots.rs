//! A client's roots: directories that narrow the grants, and never add to them.
//!
//! A client with roots is asked for them when it is ready, and again after each change. Calls wait
//! for the answer, up to a limit. The intersection of grants and roots is open; before an answer,
//! nothing is. An error changes nothing if the client has answered before.

#![expect(deprecated, reason = "roots are on their way out of the protocol, and in use")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fsgate_contract::types::{Code, Error};
use percent_encoding::percent_decode_str;
use rmcp::RoleServer;
use rmcp::model::{ListRootsResult, Root};
use rmcp::service::{Peer, ServiceError};
use tokio::sync::watch;

use crate::audit::Tell;
use crate::grant::Access;
use crate::{Directory, Gate};

/// Longest wait for roots: longer than an automatic answer takes, shorter than a client waits for a
/// call.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Most roots: each takes a handle per grant around it, and no client opens that many projects.
const ROOTS: usize = 64;

const MESSAGE_CHARS: usize = 200;

const MESSAGE_DIRECTORIES: usize = 8;

/// The narrowed gate of a client with roots, shared by clones.
#[derive(Clone)]
pub(super) struct Roots {
    granted: Arc<Gate>,
    ignored: bool,
    patience: Duration,
    tell: Tell,
    state: watch::Sender<RootsState>,
}

struct RootsState {
    /// Reasons to ask so far.
    wanted: u64,
    /// The last reason that was asked for.
    asked: u64,
    /// The last reason that no call waits for any more.
    settled: u64,
    asking: bool,
    answered: bool,
    /// Whether a client with roots has not answered: nothing is open.
    unanswered: bool,
    open: Option<Arc<Gate>>,
}

impl Roots {
    pub(super) fn new(granted: Arc<Gate>, ignored: bool, patience: Duration, tell: Tell) -> Self {
        let open = Some(granted.clone());
        let state = RootsState {
            wanted: 0,
            asked: 0,
            settled: 0,
            asking: false,
            answered: false,
            unanswered: false,
            open,
        };
        Self { granted, ignored, patience, tell, state: watch::Sender::new(state) }
    }

    pub(super) fn declared(&self) {
        if !self.ignored {
            self.state.send_modify(|state| state.wanted = state.wanted.max(1));
        }
    }

    /// Clients without roots are not asked.
    pub(super) fn changed(&self) {
        self.state.send_if_modified(|state| {
            let has_roots = state.wanted > 0;
            state.wanted += u64::from(has_roots);
            has_roots
        });
    }

    pub(super) fn granted(&self) -> &Arc<Gate> {
        &self.granted
    }

    pub(super) fn are_declared(&self) -> bool {
        self.state.borrow().wanted > 0
    }

    /// Waits for the roots, and returns the open gate, if any.
    pub(super) async fn open(&self) -> Option<Arc<Gate>> {
        let mut state = self.state.subscribe();
        let wanted = state.borrow().wanted;
        let settled =
            tokio::time::timeout(self.patience, state.wait_for(|state| state.settled >= wanted)).await;
        // The answer may have arrived at the last moment.
        if settled.is_err() && self.settle(wanted, |state, _| state.unanswered |= wanted > state.settled) {
            let seconds = self.patience.as_secs();
            self.say(&format!(
                "the client has not told its roots for {seconds} s: every call is refused until it does; start with \
                 --ignore-roots to serve the directories as they are granted"
            ));
        }
        let state = self.state.borrow();
        if state.unanswered { None } else { state.open.clone() }
    }

    /// Asks while there are reasons, in one task at a time.
    pub(super) async fn ask(&self, peer: &Peer<RoleServer>) {
        while let Some(reason) = self.begin() {
            // A late answer counts unless there is a new reason.
            let answer = tokio::select! {
                answer = peer.list_roots() => Some(answer),
                () = self.superseded(reason) => None,
            };
            if let Some(answer) = answer {
                self.take(reason, answer).await;
            }
            self.state.send_modify(|state| state.asking = false);
        }
    }

    fn begin(&self) -> Option<u64> {
        let mut reason = None;
        self.state.send_if_modified(|state| {
            if !state.asking && state.wanted > state.asked {
                state.asking = true;
                state.asked = state.wanted;
                reason = Some(state.asked);
            }
            false
        });
        reason
    }

    async fn superseded(&self, reason: u64) {
        tokio::time::sleep(self.patience).await;
        let _ = self.state.subscribe().wait_for(|state| state.wanted > reason).await;
    }

    async fn take(&self, reason: u64, answer: Result<ListRootsResult, ServiceError>) {
        let list = match answer {
            Ok(list) => list.roots,
            Err(error) => {
                let mut stays = false;
                let waited = self.settle(reason, |state, is_newest| {
                    stays = state.answered;
                    if is_newest {
                        state.unanswered = !stays;
                    }
                });
                if waited && !matches!(error, ServiceError::TransportClosed) {
                    let error = printable(&error.to_string());
                    let then = match stays {
                        true => "what was open stays open",
                        false => {
                            "every call is refused until it does; start with --ignore-roots to serve the directories as they \
                             are granted"
                        }
                    };
                    self.say(&format!("the client does not tell its roots ({error}): {then}"));
                }
                return;
            }
        };
        let roots = self.clone();
        // On a blocking thread, because disks can be slow. A panic there opens nothing.
        let open =
            tokio::task::spawn_blocking(move || roots.within(&list)).await.ok().flatten().map(Arc::new);
        let names = |open: &Option<Arc<Gate>>| open.as_ref().map(|gate| gate.directories().to_vec());
        let now = names(&open);
        let mut before = None;
        self.settle(reason, |state, is_newest| {
            before = names(&std::mem::replace(&mut state.open, open));
            state.answered = true;
            state.unanswered &= !is_newest;
        });
        match now {
            now if now == before => {}
            None => self.say(
                "the client's roots and the granted directories have nothing in common: every call is refused; start \
                 with --ignore-roots to serve the directories as they are granted",
            ),
            Some(now) => self.say(&format!("the client's roots leave {} open", listed(&now))),
        }
    }

    /// Ends the wait for a reason, and returns whether calls waited. `change` also learns whether
    /// the reason is the newest.
    fn settle(&self, reason: u64, change: impl FnOnce(&mut RootsState, bool)) -> bool {
        let mut waited = false;
        self.state.send_modify(|state| {
            waited = reason > state.settled;
            change(state, reason >= state.settled);
            state.settled = state.settled.max(reason);
        });
        waited
    }

    /// The gate narrowed to these roots, if anything is left.
    fn within(&self, list: &[Root]) -> Option<Gate> {
        if list.len() > ROOTS {
            self.say(&format!("the client has {} roots: only the first {ROOTS} count", list.len()));
        }
        let mut paths = Vec::new();
        for Root { uri, .. } in list.iter().take(ROOTS) {
            match directory(uri).and_then(|path| self.granted.root(&path)) {
                Ok(path) => paths.push(path),
                Err(problem) => {
                    self.say(&format!("the client's root `{}` opens nothing: {problem}", printable(uri)));
                }
            }
        }
        match self.granted.within(&paths) {
            Ok(gate) => Some(gate).filter(|gate| !gate.directories().is_empty()),
            Err(error) => {
                self.say(&format!("what the client's roots leave cannot be opened: {error}"));
                None
            }
        }
    }

    /// The error of every call while nothing is open.
    pub(super) fn refusal(&self, operation: &str) -> String {
        let (message, repair) = if self.state.borrow().unanswered {
            (
                "the client has roots, and has not told them: nothing is open until it does".to_owned(),
                "call again later, or ask the user to start `fsgate mcp` with `--ignore-roots`",
            )
        } else {
            (
                format!(
                    "the client's roots exclude every granted directory ({})",
                    listed(self.granted.directories())
                ),
                "ask the user to open one of them in the client, or to start `fsgate mcp` with `--ignore-roots`",
            )
        };
        let error = Error {
            code: Code::NotGranted,
            operation: operation.to_owned(),
            path: None,
            message,
            applied: false,
            repair: Some(repair.to_owned()),
            details: None,
        };
        // A record of strings always has a JSON form.
        serde_json::to_string(&error).unwrap_or_default()
    }

    fn say(&self, text: &str) {
        (self.tell)(text);
    }
}

fn directory(uri: &str) -> Result<PathBuf, String> {
    let path = path(uri)?;
    let found = path.metadata().map_err(|error| error.to_string())?;
    if found.is_dir() { Ok(path) } else { Err("it is not a directory".to_owned()) }
}

/// The path of a URI. All but escapes is literal, also `#` and `?`: some clients append raw paths
/// to `file://`, and directories have no query.
fn path(uri: &str) -> Result<PathBuf, &'static str> {
    let Some((scheme, rest)) = uri.split_once(':') else { return Err("it is no URI") };
    if !scheme.eq_ignore_ascii_case("file") {
        return Err("only `file` URIs name directories of this machine");
    }
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return Err("it names another machine");
            }
            path
        }
    };
    let path = native(percent_decode_str(path).collect()).ok_or("its path is not UTF-8")?;
    if path.is_absolute() { Ok(path) } else { Err("it has no absolute path") }
}

#[cfg(unix)]
fn native(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    Some(OsString::from_vec(bytes).into())
}

/// Drops the slash before the drive.
#[cfg(not(unix))]
fn native(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(|path| path.trim_start_matches('/').into())
}

/// The beginning of a foreign text, escaped.
fn printable(text: &str) -> String {
    text.chars().take(MESSAGE_CHARS).flat_map(char::escape_debug).collect()
}

fn listed(directories: &[Directory]) -> String {
    let access = |access| match access {
        Access::Read => "read only",
        Access::Write => "read and write",
    };
    let mut names: Vec<_> = directories
        .iter()
        .take(MESSAGE_DIRECTORIES)
        .map(|directory| format!("{} ({})", printable(&directory.name), access(directory.access)))
        .collect();
    if directories.len() > MESSAGE_DIRECTORIES {
        names.push(format!("and {} more", directories.len() - MESSAGE_DIRECTORIES));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_uri_names_a_path_of_this_machine_or_none() {
        for (uri, expected) in [
            ("file:///a/b", Ok("/a/b")),
            ("FILE:///a", Ok("/a")),
            ("file:/a", Ok("/a")),
            ("file://localhost/a", Ok("/a")),
            ("file:///a%20b/%C3%A4", Ok("/a b/ä")),
            ("file:///a b/ä", Ok("/a b/ä")),
            ("file:///a%2Fb%2e%2E", Ok("/a/b..")),
            ("file:///c#/100%/%zz?", Ok("/c#/100%/%zz?")),
            ("file:///", Ok("/")),
            ("file://", Err("absolute")),
            ("file:", Err("absolute")),
            ("file:a", Err("absolute")),
            ("file://host/a", Err("another machine")),
            ("file://host", Err("another machine")),
            ("https://localhost/a", Err("only `file`")),
            ("/a", Err("no URI")),
            ("", Err("no URI")),
        ] {
            match (path(uri), expected) {
                (Ok(path), Ok(expected)) => assert_eq!(path.to_str(), Some(expected), "{uri}"),
                (Err(found), Err(expected)) => assert!(found.contains(expected), "{uri}: {found}"),
                (found, _) => panic!("{uri}: {found:?}"),
            }
        }
    }

    #[test]
    fn what_is_told_is_short_and_harmless() {
        assert_eq!(printable("a\u{1b}[2J\n"), "a\\u{1b}[2J\\n");
        assert_eq!(printable(&"x".repeat(1000)).len(), MESSAGE_CHARS);
        let many: Vec<_> = (0..20)
            .map(|name| Directory {
                name: format!("/{name}"),
                access: Access::Read,
                path: format!("/{name}").into(),
            })
            .collect();
        assert!(listed(&many).ends_with("/7 (read only), and 12 more"));
    }
}
