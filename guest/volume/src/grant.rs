//! Granted directories.

use super::Access;

/// A directory that the host handed in.
pub struct Grant<V> {
    /// Its name in the namespace.
    pub name: String,
    /// The directory.
    pub volume: V,
    /// The granted access.
    pub access: Access,
}
