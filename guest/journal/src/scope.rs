//! The rules and grants of a session, as its records keep them.

use blake3::Hasher;
use serde::{Deserialize, Serialize};

use super::Id;
use super::record::Root;
use crate::namespace::Namespace;
use fsgate_contract::limits::{SCOPE_BYTES, SCOPE_GRANTS};
use fsgate_volume::{Access, Fault, Volume};

/// The rules against reading and the grants under which a change was made. They decide which other
/// sessions see the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordScope {
    /// The digest of both. Sessions with the same digest read the same files.
    pub digest: Id,
    /// The granted directories; empty above [`SCOPE_GRANTS`] of them, or above [`SCOPE_BYTES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<Root>,
}

impl RecordScope {
    pub(crate) fn of<V: Volume>(namespace: &Namespace<V>) -> Result<Self, Fault> {
        let guard = namespace.guard();
        let mut hasher = Hasher::new();
        hasher.update(&guard.reading_digest());
        // Rules find a directory by its name, and a grant covers a part of the grant above it.
        let by_name = !guard.policy().reading().is_empty() || namespace.is_nested();
        let (mut grants, mut identities) = (Vec::new(), Vec::new());
        for held in namespace.all_held() {
            let identity = Id(held.volume.directory_identity(&held.root)?);
            let grant = namespace.path(held.node);
            // Some hosts cannot tell directories apart.
            let name = if by_name || identity == Id::NOBODY { &*grant } else { "" };
            identities.push((identity, held.access == Access::Write, name.to_owned()));
            grants.push(Root { grant, identity });
        }
        identities.sort_unstable();
        for (identity, is_writable, name) in identities {
            hasher.update(&identity.0.to_le_bytes()).update(&[u8::from(is_writable)]);
            hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
        }
        let mut digest = [0; 16];
        hasher.finalize_xof().fill(&mut digest);
        let bytes = serde_json::to_vec(&grants).map_or(usize::MAX, |grants| grants.len());
        if grants.len() > SCOPE_GRANTS || bytes > SCOPE_BYTES {
            grants.clear();
        }
        Ok(Self { digest: Id(u128::from_le_bytes(digest)), grants })
    }
}
