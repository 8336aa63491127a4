//! The components for other hosts.

use std::borrow::Cow;

pub use fsgate_artifact::Kind as ComponentKind;
use thiserror::Error;

/// The build has no component of this kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "this debug build has no component of the kind `{}` in it: a build in the release profile has all of them, and so has \
     one with `--features kinds`",
    .0.name()
)]
pub struct NotInThisBuild(pub ComponentKind);

/// Returns the component of a kind, for other hosts.
///
/// # Errors
///
/// A release build has every kind. A debug build has [`ComponentKind::Tools`], and with the feature
/// `kinds` the others.
pub fn component(kind: ComponentKind) -> Result<Cow<'static, [u8]>, NotInThisBuild> {
    kind.bytes().ok_or(NotInThisBuild(kind))
}
