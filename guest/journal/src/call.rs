//! The call that makes changes.

use fsgate_contract::id::Id;
use fsgate_volume::settings::Settings;

/// The call that makes changes.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The operation.
    pub tool: &'a str,
    /// The session.
    pub session: Id,
    /// The settings of the host.
    pub settings: &'a Settings,
    /// The consent to deletions, if the arguments can have one.
    pub confirmed: Option<bool>,
}
