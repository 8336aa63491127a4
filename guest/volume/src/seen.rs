//! Objects at one look.

use super::{Kind, Stat};

/// The state of an object at one look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Its description.
    pub stat: Stat,
    /// Its identity.
    pub identity: u128,
}

impl Seen {
    /// Whether it is the same object with apparently the same content. Its names do not count.
    pub fn is_still(&self, stat: &Stat, identity: u128) -> bool {
        let content = |stat: &Stat| (stat.kind, stat.size, stat.modified);
        self.identity == identity
            && match self.stat.kind {
                // A directory's names change its size and time.
                Kind::Directory => stat.kind == Kind::Directory,
                _ => content(&self.stat) == content(stat),
            }
    }
}
