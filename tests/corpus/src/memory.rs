//! Trees in memory.

use anyhow::{Result, anyhow};
use fsgate_contract::types::SpecialKind;
use fsgate_engine::session::Session;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{self, Memory};
use fsgate_volume::{Access, Volume};

use crate::snapshot::{Seen, Snapshot, What};
use crate::tree::{Item, Tree, parent};

/// A volume that holds a tree.
pub fn volume(tree: &Tree) -> Result<Memory> {
    let volume = Memory::default();
    for grant in &tree.grants {
        volume.at(&grant.directory);
    }
    for (path, item) in &tree.items {
        let item = match item {
            Item::File { bytes, .. } => memory::Item::File(bytes.clone()),
            Item::Link(target) => memory::Item::Link(link_target(target)),
            Item::Directory => {
                // Made, but not emptied: something in it may have come before.
                volume.at(path);
                continue;
            }
            Item::Fifo => memory::Item::Special(SpecialKind::Other),
            Item::Undecodable(_) => {
                volume.put_undecodable(parent(path));
                continue;
            }
            Item::HardLink(_) => continue,
        };
        volume.put(path, item);
    }
    for (path, item) in &tree.items {
        if let Item::HardLink(to) = item {
            let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
            let directory = |path: &str| volume.at(parent(path)).root();
            volume
                .link_file(&directory(to), &name(to), &directory(path), &name(path))
                .map_err(|fault| anyhow!("linking {path}: {fault:?}"))?;
        }
    }
    Ok(volume)
}

/// Where the volume of a tree keeps state. It is no part of the tree.
pub const STATE: &str = ".state";

/// A session with a journal over the granted directories of `tree` in `volume`, each through `wrap`.
pub fn journaled<V: Volume>(
    tree: &Tree,
    volume: &Memory,
    wrap: impl Fn(Memory) -> V,
    policy: Option<&str>,
) -> Session<V> {
    let variables =
        [("FSGATE_LOCK", "host")].into_iter().chain(policy.map(|policy| ("FSGATE_POLICY", policy)));
    let grant = |grant: &crate::tree::Grant| Grant {
        name: grant.name.clone(),
        volume: wrap(volume.at(&grant.directory)),
        access: grant.access,
    };
    let state = Grant { name: "/.fsgate".to_owned(), volume: wrap(volume.at(STATE)), access: Access::Write };
    let preopens = tree.grants.iter().map(grant).chain([state]).collect();
    Session::open_or_refuse(preopens, variables)
}

/// The same where nothing is journaled.
pub fn session<V: Volume>(tree: &Tree, volume: &Memory, wrap: impl Fn(Memory) -> V) -> Result<Session<V>> {
    let grant = |grant: &crate::tree::Grant| Grant {
        name: grant.name.clone(),
        volume: wrap(volume.at(&grant.directory)),
        access: grant.access,
    };
    Session::new(tree.grants.iter().map(grant).collect())
        .map_err(|double| anyhow!("two grants have the name {}", double.0))
}

/// Everything in a volume.
pub fn snapshot(volume: &Memory) -> Snapshot {
    let seen = |item| Seen {
        what: match item {
            memory::Item::File(bytes) => What::File(bytes),
            memory::Item::Directory => What::Directory,
            memory::Item::Link(target) => What::Link(target),
            memory::Item::Special(_) => What::Special,
        },
        identity: None,
    };
    let state = |path: &str| path == STATE || path.starts_with(&format!("{STATE}/"));
    let items = volume.snapshot().into_iter().filter(|(path, _)| !state(path));
    items.map(|(path, item)| (path, seen(item))).collect()
}

/// A link's target; in memory there is nothing above the tree.
pub fn link_target(target: &str) -> String {
    target.replace("$root", "")
}
