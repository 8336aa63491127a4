//! The components, for other hosts.

pub use fsgate_artifact::Kind as ComponentKind;
use thiserror::Error;

/// This build has no component of a kind in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "this build has no component of the kind `{}` in it; one with the feature `kinds` has: `make components` in the sources \
     writes them all, `cargo install fsgate --features kinds` makes a program that does",
    .0.name()
)]
pub struct NotInThisBuild(pub ComponentKind);

/// The component of a kind, for other hosts.
///
/// # Errors
///
/// Every build has [`ComponentKind::Tools`], and one with the feature `kinds` has the others.
pub fn component(kind: ComponentKind) -> Result<&'static [u8], NotInThisBuild> {
    kind.bytes().ok_or(NotInThisBuild(kind))
}
