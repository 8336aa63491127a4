//! Every limit of the core, with its reason.

/// Bytes in a path: Linux's `PATH_MAX`, so that nothing is accepted that no host could open.
pub const PATH_BYTES: usize = 4096;

/// Segments in a path. Each one is a call to the host.
pub const PATH_SEGMENTS: usize = 256;

/// Links followed for one path: what Linux follows.
pub const LINKS: u32 = 40;

/// Directory handles held while one path is walked; hosts allow some hundreds for all calls together.
pub const HANDLES: usize = 128;

/// Files up to this size are always read to the end, so that their tag is strong and their lines are
/// counted: milliseconds, and a strong tag is worth them.
pub const STRONG_TAG_BYTES: u64 = 16 << 20;

/// Bytes asked of a volume at once. wasmtime answers with at most 64 KiB; larger answers cost memory
/// and gain nothing.
pub const CHUNK_BYTES: usize = 64 << 10;

/// Bytes at the start of a file that are looked at to tell what kind of file it is.
pub const PROBE_BYTES: u64 = 4096;

/// Bytes that one change of an existing file may move: seconds on a slow disk, so that a call's deadline does not cut
/// it in two.
pub const SPAN_BYTES: u64 = 256 << 20;

/// Line numbers that an error or an outcome lists: enough to choose from, small enough for an error.
pub const LINES_LISTED: usize = 100;

/// Lines of context around a change in a diff, as `diff -u` and git show them.
pub const DIFF_CONTEXT: usize = 3;

/// Bytes of a diff, and of the text that is searched for its context. A larger one is left out, and a note says so.
pub const DIFF_BYTES: usize = 256 << 10;

/// Product of removed and added lines up to which a diff looks for common lines between them; above, it
/// shows all of the old ones and then all of the new ones. Keeps the cost of a diff far below a second.
pub const DIFF_PAIRS: usize = 4_000_000;

/// Characters of a caller's text that a sentence quotes.
pub const QUOTED_CHARS: usize = 120;

/// Characters of a path in an error: escaped as JSON they still fit into 8 KiB.
pub const ERROR_PATH_CHARS: usize = 600;

/// Characters of somebody else's sentence inside an error.
pub const ERROR_TEXT_CHARS: usize = 200;
