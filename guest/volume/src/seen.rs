//! The state of a file or directory at one look.

use super::{Kind, Stat};

/// The state of a file or directory at one look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Its kind, its size, its last change.
    pub stat: Stat,
    /// Its identity.
    pub identity: u128,
}

impl Seen {
    /// True if it is the same one, with the same content as far as a look can tell. Its names do not count.
    pub fn is_still(&self, stat: &Stat, identity: u128) -> bool {
        let content = |stat: &Stat| (stat.kind, stat.size, stat.modified);
        self.identity == identity
            && match self.stat.kind {
                // The size and the time of a directory change with every name in it.
                Kind::Directory => stat.kind == Kind::Directory,
                _ => content(&self.stat) == content(stat),
            }
    }
}
