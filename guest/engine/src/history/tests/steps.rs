//! Grants and sessions for tests with a shared history.

use serde_json::Value;

use super::shared::Shared;
use crate::session::Session;
use fsgate_volume::Access;
use fsgate_volume::memory::Memory;

pub(super) type Grants = &'static [(&'static str, &'static str)];

pub(super) const ONE: Grants = &[("/w", "q")];
pub(super) const TWO: Grants = &[("/a", "q/a"), ("/b", "q/b")];
pub(super) const FIRST: Grants = &[("/a", "q/a")];
pub(super) const NESTED: Grants = &[("/w", "q"), ("/n", "q/in")];
pub(super) const INNER: Grants = &[("/n", "q/in")];
pub(super) const PARTS: Grants = &[("/w/d", "q/d"), ("/w/sec", "q/sec")];
pub(super) const NARROW: Grants = &[("/w/in", "q/in")];

pub(super) fn of(shared: &Shared, grants: &[(&str, &str)], policy: &Value) -> Session<Memory> {
    shared.gate(&writable(grants), Some(&policy.to_string()))
}

pub(super) fn writable<'a>(grants: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str, Access)> {
    grants.iter().map(|(name, path)| (*name, *path, Access::Write)).collect()
}
