//! The components by their kinds.

use std::borrow::Cow;

use crate::{COMPONENT, archive};

/// The components beside the tools.
static OTHERS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kinds.lzma2"));

/// The interface of a component. All components have the same core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Every interface of the contract: [`COMPONENT`].
    Tools,
    /// The command line, as `wasi:cli/run`.
    Command,
    /// The interfaces that look; no import by which anything could be changed.
    Reader,
    /// The interfaces that look and those that change.
    Editor,
    /// The operations as functions of the world, with their documentation: for Wassette and hosts like it.
    Flat,
    /// The operations behind the interface of the host ACT.
    Act,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Tools, Self::Command, Self::Reader, Self::Editor, Self::Flat, Self::Act];

    /// The name of the kind on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Command => "command",
            Self::Reader => "reader",
            Self::Editor => "editor",
            Self::Flat => "flat",
            Self::Act => "act",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name of the file in the documentation.
    pub fn file_name(self) -> String {
        match self {
            Self::Tools => "fsgate.wasm".to_owned(),
            kind => format!("fsgate-{}.wasm", kind.name()),
        }
    }

    /// The component, if this build has it. A build without the feature `kinds` has the first one, and
    /// in the release profile all of them.
    pub fn bytes(self) -> Option<Cow<'static, [u8]>> {
        match self {
            Self::Tools => Some(Cow::Borrowed(COMPONENT)),
            kind => archive::unpack(COMPONENT, OTHERS, kind.name()).ok().flatten().map(Cow::Owned),
        }
    }
}
