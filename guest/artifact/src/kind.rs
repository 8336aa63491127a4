//! The components by their kinds.

use crate::COMPONENT;

/// What a component offers. All are made of the same core.
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

    /// Its name on the command line.
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

    /// The name of its file, as the documentation has it.
    pub fn file_name(self) -> String {
        match self {
            Self::Tools => "fsgate.wasm".to_owned(),
            kind => format!("fsgate-{}.wasm", kind.name()),
        }
    }

    /// The component, if this build has it. The feature `kinds` adds all but the first one.
    pub fn bytes(self) -> Option<&'static [u8]> {
        match self {
            Self::Tools => Some(COMPONENT),
            #[cfg(feature = "command")]
            Self::Command => Some(include_bytes!(concat!(env!("OUT_DIR"), "/fsgate-command.wasm"))),
            #[cfg(not(feature = "command"))]
            Self::Command => None,
            #[cfg(feature = "kinds")]
            Self::Reader => Some(include_bytes!(concat!(env!("OUT_DIR"), "/fsgate-reader.wasm"))),
            #[cfg(feature = "kinds")]
            Self::Editor => Some(include_bytes!(concat!(env!("OUT_DIR"), "/fsgate-editor.wasm"))),
            #[cfg(feature = "kinds")]
            Self::Flat => Some(include_bytes!(concat!(env!("OUT_DIR"), "/fsgate-flat.wasm"))),
            #[cfg(feature = "kinds")]
            Self::Act => Some(include_bytes!(concat!(env!("OUT_DIR"), "/fsgate-act.wasm"))),
            #[cfg(not(feature = "kinds"))]
            Self::Reader | Self::Editor | Self::Flat | Self::Act => None,
        }
    }
}
