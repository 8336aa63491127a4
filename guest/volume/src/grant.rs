//! A directory and its name, as a host hands them in.

use super::Access;

/// A directory that a host handed in.
pub struct Grant<V> {
    /// Name in the namespace.
    pub name: String,
    /// The directory itself.
    pub volume: V,
    /// The access that is granted.
    pub access: Access,
}
