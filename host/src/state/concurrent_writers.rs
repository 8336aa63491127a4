//! Detects unfinished writes that the component cannot name: those in directories without own
//! state, and those of files that the grants do not show at their places.
//!
//! It keeps sessions from taking half-written bytes for complete, whether the writer still runs or
//! has died. The records name the files that are closed to the call; all others stay open. Roots
//! that are registered after the start are not covered.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use fsgate_contract::limits::{LOCK_PATIENCE, READ_PAUSE};
use fsgate_journal::HalfWrittenFiles;
#[cfg(target_os = "linux")]
use fsgate_journal::namespace::Namespace;
#[cfg(target_os = "linux")]
use fsgate_journal::state::State as Journal;

use super::State;
use super::control::Control;
use super::registry::Registry;
use crate::grant::{Access, Grant};
use crate::limits::Deadline;
#[cfg(target_os = "linux")]
use crate::native::Native;

/// Open control files of other state directories. A confined process could not open them later.
#[derive(Debug, Default)]
pub(crate) struct ConcurrentWriters(Vec<Control>);

/// Files that a call does not open.
pub(crate) type ClosedFiles = Arc<HalfWrittenFiles>;

/// The state of the gate, if it has one, and its grants.
pub(crate) type Own<'a> = (Option<&'a State>, &'a [Grant]);

/// The unfinished writes at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UnfinishedWrites {
    /// The sum of the sequence numbers, which every later write changes.
    sequence: u64,
    /// The files that can have old and new content.
    pub(crate) files: ClosedFiles,
}

impl ConcurrentWriters {
    /// Finds the state of these grants, except the gate's own. It makes nothing, and ignores state
    /// that it cannot open.
    pub(crate) fn over(root: Option<&Path>, grants: &[Grant], is_journaled: bool) -> Self {
        let Some(root) = root else { return Self::default() };
        // This registry only reads.
        let registry = Registry::new(root, false, Duration::MAX);
        let is_own = |grant: &&Grant| is_journaled && grant.access == Access::Write;
        let states = |own: bool| -> BTreeSet<String> {
            let grants = grants.iter().filter(|grant| is_own(grant) == own);
            grants.flat_map(|grant| registry.states_near(&grant.host)).collect()
        };
        let others = &states(false) - &states(true);
        Self(others.iter().filter_map(|state| Control::open(&registry.directory(state)).ok()).collect())
    }

    /// The state directories of other sessions, which this process reads.
    pub(crate) fn states(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().map(|control| &control.state)
    }

    /// Waits until the files of all unfinished writes are known. Returns none if the wait fails.
    pub(crate) fn known(
        &self,
        own: Own<'_>,
        deadline: Deadline,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Option<UnfinishedWrites> {
        let mut left = LOCK_PATIENCE;
        loop {
            if let Some(now) = self.now(own) {
                return Some(now);
            }
            if left.is_zero() || deadline.is_over() || is_cancelled() {
                return None;
            }
            sleep(READ_PAUSE);
            left = left.saturating_sub(READ_PAUSE);
        }
    }

    /// The unfinished writes; none while one of other sessions does not name its file.
    pub(crate) fn now(&self, (state, grants): Own<'_>) -> Option<UnfinishedWrites> {
        let (mut sequence, mut files) = (0_u64, HalfWrittenFiles::new());
        for control in &self.0 {
            // An unreadable control file is ignored, as if it were missing.
            let Some(now) = control.read() else { continue };
            sequence = sequence.wrapping_add(now.sequence);
            if now.is_in_place() {
                files.extend(half_written_files(&control.state)?);
            } else if now.unsettled {
                // Records from before a change of device numbers name no file.
                files.extend(half_written_files(&control.state).unwrap_or_default());
            }
        }
        for control in state.iter().flat_map(|state| &state.controls) {
            if control.read().is_some_and(|now| now.is_in_place() || now.unsettled) {
                files.extend(half_written_elsewhere(&control.state, grants).unwrap_or_default());
            }
        }
        Some(UnfinishedWrites { sequence, files: Arc::new(files) })
    }
}

/// The files of a state's unfinished writes, if all are known.
#[cfg(target_os = "linux")]
fn half_written_files(state: &Path) -> Option<HalfWrittenFiles> {
    open(state)?.half_written_files().ok()?
}

/// Those of them that the grants do not hold at their places.
#[cfg(target_os = "linux")]
fn half_written_elsewhere(state: &Path, grants: &[Grant]) -> Option<HalfWrittenFiles> {
    let opened = grants.iter().filter_map(|Grant { host, name, access }| {
        let volume = Native::open(host).ok()?;
        Some(fsgate_volume::grant::Grant { name: name.clone(), volume, access: *access })
    });
    let namespace = Namespace::new(opened.collect()).ok()?;
    open(state)?.half_written_elsewhere(&namespace).ok()
}

#[cfg(target_os = "linux")]
fn open(state: &Path) -> Option<Journal<Native>> {
    Journal::open_to_read(Native::open(state).ok()?).ok()
}

/// Other systems' own file system layer cannot close a file.
#[cfg(not(target_os = "linux"))]
fn half_written_files(_: &Path) -> Option<HalfWrittenFiles> {
    None
}

#[cfg(not(target_os = "linux"))]
fn half_written_elsewhere(_: &Path, _: &[Grant]) -> Option<HalfWrittenFiles> {
    None
}
