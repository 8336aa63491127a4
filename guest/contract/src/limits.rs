//! Every limit of the tools, with its reason.

use std::time::Duration;

/// Bytes in a path: Linux's `PATH_MAX`. No host could open a longer one.
pub const PATH_BYTES: usize = 4096;

/// Segments in a path, each a call to the host.
pub const PATH_SEGMENTS: usize = 256;

/// Names below directories that a policy judges before these change or go: some seconds. Larger
/// trees are changed part by part.
pub const POLICY_NAMES: u64 = 500_000;

/// Links followed for one path, as in Linux.
pub const LINKS: u32 = 40;

/// Directory handles held during a path's walk. Hosts allow some hundreds for all calls.
pub const HANDLES: usize = 128;

/// Successive entries that a host may fail to list: more than directories have, and an end if a
/// host repeats itself.
pub const UNTOLD_ENTRIES: usize = 1_000_000;

/// Files up to this size are read to the end, for a strong tag and the number of lines:
/// milliseconds.
pub const STRONG_TAG_BYTES: u64 = 16 << 20;

/// Content bytes of a file without a size, such as in `/proc`: more than kernels write, and an end
/// for endless files.
pub const UNSIZED_BYTES: u64 = 64 << 20;

/// Bytes per read of a volume. wasmtime returns at most 64 KiB; more costs memory only.
pub const CHUNK_BYTES: usize = 64 << 10;

/// Bytes of a file with a remembered hash: a small change hashes only these again. As many as one
/// read, and enough for four lanes of the hash.
pub const SUBTREE_BYTES: u64 = 64 << 10;

/// Remembered hashes, 32 bytes each. Above 256 MiB parts are larger: at 10 GiB a change hashes 4
/// MiB again, milliseconds beside seconds of reading.
pub const SUBTREES: usize = 4096;

/// Bytes at a file's start that tell its kind.
pub const PROBE_BYTES: u64 = 4096;

/// Bytes that one change of an existing file may move: seconds on a slow disk, within a call's
/// deadline.
pub const SPAN_BYTES: u64 = 256 << 20;

/// Line numbers in an error or outcome: enough to choose from.
pub const LINES_LISTED: usize = 100;

/// Line numbers in the error about an ambiguous text, within [`ERROR_BYTES`].
pub const AMBIGUOUS_LINES: usize = 1_000;

/// Bytes of an error in JSON: a model reads them all.
pub const ERROR_BYTES: usize = 8 << 10;

/// Lines of context in a diff, as in `diff -u` and git.
pub const DIFF_CONTEXT: usize = 3;

/// Bytes of a diff, and of the text searched for its context. A note replaces a larger one.
pub const DIFF_BYTES: usize = 256 << 10;

/// Removed times added lines up to which a diff looks for common lines; above, lines are compared
/// by number if both sides have as many, and else old lines precede new ones. A diff then costs far
/// less than a second.
pub const DIFF_PAIRS: usize = 4_000_000;

/// Quoted characters of a caller's text.
pub const QUOTED_CHARS: usize = 120;

/// Characters of a path in an error: escaped as JSON they fit into 8 KiB.
pub const ERROR_PATH_CHARS: usize = 600;

/// Bytes of present lines in an error about a changed file: escaped as JSON they fit into 8 KiB.
pub const STALE_BYTES: u16 = 700;

/// Characters of a foreign sentence in an error.
pub const ERROR_TEXT_CHARS: usize = 200;

/// Bytes before a cursor's place that it is bound to: they nearly always show a change of the file.
pub const CURSOR_BYTES: u64 = 4096;

/// Bytes that one call writes in place, held a few times over.
pub const PLACED_BYTES: usize = 32 << 20;

/// Largest file for a pattern across lines, held in memory.
pub const REGEX_BYTES: u64 = 32 << 20;

/// Bytes at a large file's start that tell its encoding: enough for any detector, milliseconds to
/// read.
pub const DETECTED_BYTES: u64 = 1 << 20;

/// Units of no text that a binary file has after a byte order mark. A damaged text has fewer.
pub const MARKED_STRANGE: usize = 4;

/// A fair part is one such unit in this many: chance makes one in six, numbers make more.
pub const MARKED_STRANGE_IN: usize = 8;

/// Bytes per search for the first that is not ASCII: as fast as memory, and not far beyond that
/// byte.
pub const ASCII_BLOCK: usize = 1024;

/// Bytes of the longest character in any encoding.
pub const LONGEST_CHARACTER: u64 = 4;

/// Largest file edited in another encoding than UTF-8, or whose encoding hides line ends. Memory
/// holds its bytes and text.
pub const DECODED_BYTES: u64 = 32 << 20;

/// Largest file with sections: memory holds it twice, and nested strings take up to six seconds.
/// Source files are hardly ever larger.
pub const SECTION_BYTES: u64 = 4 << 20;

/// Most occurrences that one call replaces without a preview: each is remembered until all files
/// are searched.
pub const REPLACED_OCCURRENCES: u64 = 100_000;

/// Most bytes of names in an outline: as much as an answer of the reading tools has by default.
pub const OUTLINE_BYTES: usize = 256 << 10;

/// Largest file, before and after, for several replacements in one call. Memory holds it up to
/// three times.
pub const COMPOSED_BYTES: u64 = 32 << 20;

/// Bytes that one file's edits or hunks may scan: some seconds. It is sixty times the largest text,
/// or a thousand edits in two MiB.
pub const EDITS_LOOK_BYTES: u64 = 2 << 30;

/// Additional bytes that an occurrence counts for.
pub const OCCURRENCE_LOOK_BYTES: u64 = 32;

/// Bytes of a patch, more than people review. Its shortest lines take twelve times their bytes of
/// memory.
pub const PATCH_BYTES: usize = 4 << 20;

/// Parts of a patch: as many as a list has edits.
pub const PATCH_PARTS: usize = 1_000;

/// Guessed encodings that a preview names. The change tells the others.
pub const GUESSES_NAMED: usize = 20;

/// Hunks in a note about moved hunks.
pub const MOVED_HUNKS_NAMED: usize = 10;

/// Line numbers in the outcome of a list of edits.
pub const APPLIED_LINES: usize = 2_000;

/// Hex digits of an id for a file, and as many for its state: a hundred thousand files hardly ever
/// collide, and a model can repeat them.
pub const OCCURRENCE_DIGITS: usize = 12;

/// Hex digits for the search in an occurrence's id. They catch mistakes, not forgeries.
pub const SEARCH_DIGITS: usize = 6;

/// Files that one call changes by chosen ids: as many as a list has edits. All results are held.
pub const CHANGED_FILES: usize = 1_000;

/// Memory of one compiled regular expression. Repetitions such as `(a{1000}){1000}` want more.
pub const REGEX_COMPILED_BYTES: usize = 10 << 20;

/// Scans of a text by successive searches: a few where a match is long or nearly one.
pub const REGEX_LOOKS: u64 = 16;

/// Additional bytes to scan, so that any expression may be slow in a small file: a second. With
/// [`REGEX_LOOKS`], the largest file takes some seconds.
pub const REGEX_LOOKS_BYTES: u64 = 256 << 20;

/// Searches per counted repetition, where all together may scan too much.
pub const REGEX_MATCHES_PER_COUNT: u32 = 16;

/// Groups of a regular expression, the whole match included. Search time grows with them.
pub const REGEX_GROUPS: usize = 101;

/// Bytes of a search pattern, far more than people type. Each parsed character of a regular
/// expression takes some hundred bytes.
pub const PATTERN_BYTES: usize = 64 << 10;

/// Bytes of one line that a search holds. The rest of a file with a longer line is not searched.
pub const SEARCHED_LINE_BYTES: usize = 32 << 20;

/// Displayed characters of a matched line: more than people write, far less than programs do.
pub const SHOWN_LINE_CHARS: usize = 500;

/// The same for all lines of a match across lines.
pub const SHOWN_LINES_CHARS: usize = 4000;

/// Missing paths of one call with suggestions: each lists a directory.
pub const SUGGESTED_MISSES: u32 = 4;

/// Wrong arguments of one call in its error, each with a repair.
pub const ARGUMENT_PROBLEMS: usize = 8;

/// Other grants searched for a missing relative path: each costs a walk.
pub const SUGGESTED_GRANTS: usize = 16;

/// Bytes of a name that is compared letter by letter.
pub const SUGGESTED_NAME_BYTES: usize = 64;

/// Bytes of a pattern over paths: longer than people write, quick to compile.
pub const GLOB_BYTES: usize = 4096;

/// Patterns in the braces of one, each compiled by itself: more paths than a person lists.
pub const GLOB_ALTERNATIVES: usize = 256;

/// Matched links that a walk remembers, to name one in a note.
pub const LINKS_REMEMBERED: usize = 8;

/// Nested braces in a pattern over paths.
pub const GLOB_NESTING: usize = 32;

/// Memory of a compiled pattern over paths: enough for the longest one.
pub const GLOB_COMPILED_BYTES: usize = 10 << 20;

/// Bytes of states in matching such a pattern: usually a few KiB. A `?` after a `*` can double
/// them.
pub const GLOB_STATES_BYTES: usize = 1 << 20;

/// Bytes of names, with kinds, that a walk holds of one directory: a million take a few readings.
/// Reading needs twice as much.
pub const WALK_PAGE_BYTES: usize = 4 << 20;

/// Bytes of names that a walk holds of all its directories.
pub const WALK_NAMES_BYTES: usize = 8 << 20;

/// Names between looks at the clock: a look costs about a name.
pub const WALK_NAMES_PER_LOOK: u32 = 32;

/// Bytes of an ignore file: ten thousand plain paths. The largest in public collections have some
/// 10 KiB. A note replaces a larger file.
pub const IGNORE_FILE_BYTES: u64 = 256 << 10;

/// Estimated bytes of one ignore file's matcher ([`IGNORE_PLAIN_RULE_BYTES`] and below): 1,500
/// rules with wildcards, or ten thousand without. They compile in a quarter of a second. At three
/// times as many states the regex engine panics in 32 bits.
pub const IGNORE_FILE_SIZE: usize = 2 << 20;

/// The same for all ignore files that hold in a directory. Each answer of a walk compiles them
/// anew: half a second at most.
pub const IGNORE_FILES_SIZE: usize = 2 * IGNORE_FILE_SIZE;

/// Estimated bytes of a rule without wildcards, a table entry, beside its text.
pub const IGNORE_PLAIN_RULE_BYTES: usize = 128;

/// Estimated bytes per byte of a rule with wildcards: two states.
pub const IGNORE_WILD_BYTE_BYTES: usize = 32;

/// Estimated bytes of a state in matching such a rule. Each `?` or class after a `*` up to doubles
/// the states.
pub const IGNORE_STATE_BYTES: usize = 512;

/// Counted doublings of these states: the engine keeps a few MiB at most.
pub const IGNORE_DOUBLINGS: u32 = 12;

/// Ignore files with wildcards that keep their states, in one directory: up to 20 MiB each. Few
/// repositories have more.
pub const IGNORE_FILES_KEPT: usize = 4;

/// Bytes of states per further file, divided by its number: a hundred MiB together. A full matcher
/// starts anew, which is slower.
pub const IGNORE_STATES_BYTES: usize = 16 << 20;

/// Bytes of a state's transitions, beside [`IGNORE_STATE_SHARE`].
pub const IGNORE_STATE_OVERHEAD: usize = 256;

/// Estimated bytes of rules per byte of a state, which lists its places in them.
pub const IGNORE_STATE_SHARE: usize = 64;

/// Bytes of JSON in one answer.
pub const ANSWER_BYTES: usize = 1 << 20;

/// Bytes of paths and errors in one answer of `read-many`: with default budgets it stays below 1
/// MiB.
pub const ECHO_BYTES: usize = 512 << 10;

/// Names in a directory compared for suggestions, so a missing file is reported quickly.
pub const SUGGESTION_NAMES: usize = 10_000;

/// Names compared with a new one: a note is not worth listing a large directory.
pub const TWIN_NAMES: usize = 1_000;

/// Suggestions for a missing name.
pub const SUGGESTIONS: usize = 3;

/// Bytes at a file's start that are searched for a similar place: below 100 ms in the component,
/// for any bytes. Source files are hardly ever larger.
pub const NEAREST_BYTES: u64 = 2 << 20;

/// Bytes of a text whose similar place is searched, 20 bytes of memory each.
pub const NEAREST_OLD_BYTES: usize = 256 << 10;

/// Visible characters of a text compared whole. A longer one has half as many at either end
/// compared.
pub const NEAREST_CHARS: usize = 4096;

/// Places compared by character. The right one is nearly always the first.
pub const NEAREST_PLACES: usize = 16;

/// Steps of 64 characters by one in these comparisons, nanoseconds each: all places for 2,000
/// characters, seven for the longest text.
pub const NEAREST_STEPS: usize = 6_000_000;

/// Percent of common characters for a similar place. Unrelated lines of one language have up to 40;
/// a wrong place is worse than none.
pub const NEAREST_ALIKE: usize = 60;

/// Characters of a word that names a difference.
pub const NAMED_CHARS: usize = 20;

/// Files that a pattern may match for a copy or deletion: more are easily a mistake, and all are
/// held.
pub const GLOB_MATCHES: usize = 1_000;

/// Bytes of the paths that an outcome lists.
pub const PATHS_LISTED_BYTES: usize = 64 << 10;

/// Default bytes of the history with its trash: a day of large edits.
pub const HISTORY_BYTES: u64 = 1 << 30;

/// Default entries of the history. Each pruning counts them.
pub const HISTORY_ENTRIES: u64 = 10_000;

/// Default age of the history.
pub const HISTORY_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Grants named in a history record. Sessions with more share entries only under the same grants
/// and rules.
pub const SCOPE_GRANTS: usize = 16;

/// Bytes of those grants in JSON: [`SCOPE_GRANTS`] ordinary paths. A header has room for them
/// beside two longest paths.
pub const SCOPE_BYTES: usize = 16 << 10;

/// Changing calls between prunings: milliseconds for the largest history, so microseconds per call.
pub const PRUNE_EVERY: u64 = 128;

/// A call that adds a history limit divided by this number prunes at once. The others add less than
/// a quarter of a limit between prunings, [`PRUNE_EVERY`] / 512.
pub const PRUNE_SHARE: u64 = 512;

/// Bytes of a log file up to which changes are added: a scan takes a tenth of a millisecond, and
/// forgetting rewrites no more. A larger change has its own file.
pub const LOG_FILE_BYTES: u64 = 256 << 10;

/// Cached log files: changes, their undos and redos are read side by side.
pub const LOG_FILES_KEPT: usize = 8;

/// Moved bytes that may stay after the last record. Overwriting a few takes half as long as
/// removing and allocating.
pub const MOVED_BYTES_LEFT: u64 = 256 << 10;

/// Bytes of a record's header: two longest paths, escaped in JSON, and some more.
pub const RECORD_HEADER_BYTES: usize = 128 << 10;

/// Displayed paths of a history entry.
pub const HISTORY_PATHS: usize = 10;

/// Entries and paths in an outcome of the history.
pub const HISTORY_LISTED: usize = 1_000;

/// Time for one answer of `log`, which reads each entry if a path is given. The next continues.
pub const HISTORY_LOOK: Duration = Duration::from_secs(1);

/// Bytes of files that `log` holds for diffs: two of the largest.
pub const HISTORY_HELD_BYTES: usize = 2 * STRONG_TAG_BYTES as usize;

/// Characters of a checkpoint's name, for one line.
pub const LABEL_CHARS: usize = 200;

/// Duration of a state directory's lease: longer than a slow disk's write, short for waiters after
/// a death.
pub const LEASE: Duration = Duration::from_secs(10);

/// Time before its end at which an owner's lease is over: for the delay between clock and write,
/// and for different clocks.
pub const LEASE_GRACE: Duration = Duration::from_secs(2);

/// Furthest believable end of a lease. A later one precedes a set-back of the clock.
pub const LEASE_AHEAD: Duration = Duration::from_secs(60);

/// Shortest and longest pause between looks at a held lock. Changes take milliseconds; long waits
/// must spare the disk.
pub const LOCK_PAUSES: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));

/// Read bytes of a lock record, which is far smaller.
pub const LOCK_RECORD_BYTES: usize = 1024;

/// Pending trash entries may take this part of a call's time, as a divisor. The call itself has to
/// end in the rest.
pub const EMPTYING_SHARE: u32 = 4;

/// Wait of a changing call for its turn, if no host waits: about a person's patience.
pub const LOCK_PATIENCE: Duration = Duration::from_secs(5);

/// Wait of a reading call for a writer in place: milliseconds, some hundred if large.
pub const READ_PATIENCE: Duration = Duration::from_millis(500);

/// The pause between looks.
pub const READ_PAUSE: Duration = Duration::from_millis(2);

/// Steps on a volume between looks at the clock: a look costs about a step.
pub const STEPS_PER_LOOK: u32 = 16;

/// Bytes of a policy's text: ten thousand patterns, and within an environment's limit.
pub const POLICY_BYTES: usize = 128 << 10;

/// Rules of a policy, each numbered in two bytes.
pub const POLICY_RULES: usize = 10_000;

/// Bytes of a policy's compiled patterns, such as `**/*a*b`, each plus [`POLICY_PATTERN_BYTES`].
/// Each costs up to a millisecond and some kilobytes, and a project's file can bring many. Names,
/// such as `**/a/b` and `a/*`, and names with one `*` do not count.
pub const POLICY_COMPILED_BYTES: usize = 16 << 10;

/// Additional bytes per compiled pattern: the shortest cost as much as one of this length.
pub const POLICY_PATTERN_BYTES: usize = 24;

/// Regular expressions of a policy, which a project's file can bring. Each is tried at every name.
pub const POLICY_REGEXES: usize = 64;

/// Compiled bytes of each: a path is short. All [`POLICY_REGEXES`] have 16 MiB.
pub const POLICY_REGEX_BYTES: usize = 256 << 10;

/// Policies with lists of allowed paths, a bit each: one per layer of configuration.
pub const POLICY_LISTS: usize = 64;

/// Characters of a rule's name, for every sentence.
pub const RULE_NAME_CHARS: usize = 64;

/// Bytes of a file that a front end returns whole: the limit of other systems.
pub const FRONT_END_FILE_BYTES: u64 = 10 << 20;

/// Bytes of JSON from all actions of one SHAM text: any readable text file, escaped. They are held
/// twice.
pub const SHAM_DATA_BYTES: usize = 24 << 20;

/// Bytes of a front end's text: room for the largest readable file, held several times.
pub const FRONT_END_TEXT_BYTES: usize = 16 << 20;

/// Bytes of names from `listDirectory` of `command`: a text's limit. They are held twice.
pub const COMMAND_LISTING_BYTES: usize = 16 << 20;

/// Actions in one text of `file-action`: short ones have longer results.
pub const FILE_ACTIONS: usize = 10_000;

/// Blocks of a SHAM text: the shortest take a hundred times their bytes.
pub const SHAM_BLOCKS: usize = 10_000;

/// Reported mistakes in a SHAM block's form.
pub const SHAM_ERRORS: usize = 10;

/// Characters of a SHAM action's name in each of its mistakes: many times the longest.
pub const SHAM_NAME_CHARS: usize = 128;

/// Bytes of a broken SHAM block in an error: the model knows the rest.
pub const SHAM_SHOWN_BYTES: usize = 16 << 10;

/// Paths in the working set of SHAM texts, which travels with each.
pub const SHAM_WORKING_SET: usize = 1_000;

/// JSON bytes of each: a path's limit without escapes, so the next text can carry the set.
pub const SHAM_PATH_BYTES: usize = PATH_BYTES;

/// Reversible changes of SHAM texts: their ids travel with each.
pub const SHAM_CHANGES: usize = 1_000;

/// Blocks of a workflow, each a call or more: many times a person's number.
pub const WORKFLOW_BLOCKS: usize = 10_000;

/// Parameters of a block: several times those of any tool. A line of four bytes takes twenty times
/// its memory.
pub const WORKFLOW_PARAMETERS: usize = 32;

/// Bytes from variables in all blocks of a workflow, as in one change. A short text could repeat a
/// long variable.
pub const WORKFLOW_FILLED_BYTES: usize = 32 << 20;

/// Bytes of JSON from all blocks of a workflow, as in SHAM.
pub const WORKFLOW_DATA_BYTES: usize = 24 << 20;

/// Directory entries that a workflow lists under any policy: as many as an answer has.
pub const WORKFLOW_ITEMS: u32 = 10_000;

/// Bytes of a picomatch pattern: each path is matched against all of it.
pub const PLUGIN_PATTERN_BYTES: usize = 1024;

/// Matching steps of one `plugin` text, states times units of a path: some seconds, or a million
/// paths against an ordinary pattern.
pub const PLUGIN_STEPS: u64 = 2 << 30;

/// Calls in one `plugin` text: each can walk through everything.
pub const PLUGIN_CALLS: usize = 1_000;

/// Bytes of JSON in all answers of a `plugin` text, as in SHAM.
pub const PLUGIN_DATA_BYTES: usize = 24 << 20;

/// Bytes of entries that one such call lists: a text's limit.
pub const PLUGIN_LISTING_BYTES: usize = 16 << 20;

/// Bytes of a `plugin` file as text with undecodable bytes by number, written in one change with
/// its sidecar: a text's limit. Noise takes three times its bytes.
pub const PLUGIN_ESCAPED_BYTES: usize = 16 << 20;

/// Failures that leave a trashed directory for later: enough to pass another user's files, without
/// a million attempts.
pub const EMPTYING_FAILURES: u32 = 64;

/// Read bytes of a sidecar, which is far smaller.
pub const PLUGIN_SIDECAR_BYTES: usize = 16 << 10;

/// Attempts to read a file that changes meanwhile, milliseconds each.
pub const PLUGIN_TRIES: usize = 8;

/// Characters of a media type: twice the 127 of a registered name.
pub const MEDIA_TYPE_BYTES: usize = 255;
