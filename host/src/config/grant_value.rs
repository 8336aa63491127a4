//! A directory to grant, as a value of the configuration.

use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::keys::{READ_ONLY, READ_WRITE};
use super::tree::Tree;
use crate::grant::Access;

/// A directory to grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantValue {
    /// The directory.
    pub path: PathBuf,
    /// Its name inside, if it is not its own path.
    pub name: Option<String>,
    /// The access.
    pub access: Access,
}

impl GrantValue {
    pub(super) fn of(dir: &Tree) -> Self {
        let text = |name: &str| dir.get(name).and_then(Tree::text);
        Self {
            path: text("path").unwrap_or_default().into(),
            name: text("name").map(str::to_owned),
            access: if text("access") == Some(READ_WRITE) { Access::Write } else { Access::Read },
        }
    }

    pub(super) fn to_json(&self) -> Json {
        let access = match self.access {
            Access::Read => READ_ONLY,
            Access::Write => READ_WRITE,
        };
        match &self.name {
            Some(name) => json!({"path": self.path.to_string_lossy(), "name": name, "access": access}),
            None => json!({"path": self.path.to_string_lossy(), "access": access}),
        }
    }
}
