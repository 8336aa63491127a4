//! Every limit of the tools, with its reason.

use std::time::Duration;

/// Bytes in a path: Linux's `PATH_MAX`, so that nothing is accepted that no host could open.
pub const PATH_BYTES: usize = 4096;

/// Segments in a path. Each one is a call to the host.
pub const PATH_SEGMENTS: usize = 256;

/// Names below directories that a policy is asked about before these change their names or go: some seconds of looking. What
/// has more in it is changed part by part.
pub const POLICY_NAMES: u64 = 500_000;

/// Links followed for one path: what Linux follows.
pub const LINKS: u32 = 40;

/// Directory handles held while one path is walked; hosts allow some hundreds for all calls together.
pub const HANDLES: usize = 128;

/// Entries of a directory in a row that a host may fail to tell before the listing is given up. More than any directory
/// has on a good day, and still an end where a host answers the same for ever.
pub const UNTOLD_ENTRIES: usize = 1_000_000;

/// Files up to this size are always read to the end, so that their tag is strong and their lines are
/// counted: milliseconds, and a strong tag is worth them.
pub const STRONG_TAG_BYTES: u64 = 16 << 20;

/// Bytes of a file without a size, such as those of `/proc`, that count as its content: larger than
/// any that a kernel writes, and an end for one that has none.
pub const UNSIZED_BYTES: u64 = 64 << 20;

/// Bytes asked of a volume at once. wasmtime answers with at most 64 KiB; larger answers cost memory
/// and gain nothing.
pub const CHUNK_BYTES: usize = 64 << 10;

/// Bytes of a file whose part of its hash is remembered, so that a change of a few bytes hashes no more than these again: as
/// many as are read at once, and enough for four lanes of the hash to be busy.
pub const SUBTREE_BYTES: u64 = 64 << 10;

/// Parts of a hash that are remembered, 32 bytes each. A file of more than 256 MiB has larger ones: at 10 GiB, a change
/// hashes 4 MiB again, milliseconds beside the seconds in which all of it was read.
pub const SUBTREES: usize = 4096;

/// Bytes at the start of a file that are looked at to tell what kind of file it is.
pub const PROBE_BYTES: u64 = 4096;

/// Bytes that one change of an existing file may move: seconds on a slow disk, so that a call's deadline does not cut
/// it in two.
pub const SPAN_BYTES: u64 = 256 << 20;

/// Line numbers that an error or an outcome lists: enough to choose from, small enough for an error.
pub const LINES_LISTED: usize = 100;

/// Line numbers that an error gives of a text that is there several times. What does not fit into [`ERROR_BYTES`] is left out.
pub const AMBIGUOUS_LINES: usize = 1_000;

/// Bytes of an error in JSON: a model reads all of it.
pub const ERROR_BYTES: usize = 8 << 10;

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

/// Bytes before its place that a cursor is bound to: a change of the file nearly always shows in them.
pub const CURSOR_BYTES: u64 = 4096;

/// Bytes that a call puts in place at once: they are held in memory, a few times over while they are made.
pub const PLACED_BYTES: usize = 32 << 20;

/// Largest file that a pattern is used on that may match across lines: all of it is held in memory.
pub const REGEX_BYTES: u64 = 32 << 20;

/// Bytes at the beginning of a large file by which its encoding is told: enough for any detector, and read in milliseconds.
pub const DETECTED_BYTES: u64 = 1 << 20;

/// Units in no text that a binary file has at least behind the bytes of a byte order mark: a
/// damaged text has fewer.
pub const MARKED_STRANGE: usize = 4;

/// One unit in so many that is in no text is a fair part: chance makes one in six, and numbers make
/// more.
pub const MARKED_STRANGE_IN: usize = 8;

/// Bytes that are looked at at once to find the first one that is not ASCII: enough to be as fast as memory, few enough not to go far
/// beyond it.
pub const ASCII_BLOCK: usize = 1024;

/// Bytes of the longest character in any encoding.
pub const LONGEST_CHARACTER: u64 = 4;

/// Largest file in an encoding whose lines cannot be found in its bytes, or that is edited in another encoding than UTF-8: all of it
/// is held in memory, as bytes and as text.
pub const DECODED_BYTES: u64 = 32 << 20;

/// Largest file in which sections are looked for: all of it is held in memory, twice, and to tell its
/// code from strings in one another takes up to six seconds. Source files are hardly ever larger.
pub const SECTION_BYTES: u64 = 4 << 20;

/// Largest file in which one call replaces several texts one after the other, before and after: all of it is held in
/// memory, up to three times.
pub const COMPOSED_BYTES: u64 = 32 << 20;

/// Bytes of text that the edits or hunks of one file may look through, one after the other: some
/// seconds. It is sixty times the largest text, or a thousand edits in two MiB.
pub const EDITS_LOOK_BYTES: u64 = 2 << 30;

/// Bytes that an occurrence counts for beside its own: each is taken into account by itself.
pub const OCCURRENCE_LOOK_BYTES: u64 = 32;

/// Bytes of a patch: more than anybody looks through. Its shortest lines take twelve times as much memory while it is read.
pub const PATCH_BYTES: usize = 4 << 20;

/// Files of a patch, or blocks of one: as many as a list may have edits.
pub const PATCH_PARTS: usize = 1_000;

/// Files of a preview whose encoding is named as a guess: the others are told when they are changed.
pub const GUESSES_NAMED: usize = 20;

/// Hunks that a note names because they stand at other lines than their patch says.
pub const MOVED_HUNKS_NAMED: usize = 10;

/// Line numbers that the outcome of a list of edits has in all.
pub const APPLIED_LINES: usize = 2_000;

/// Hex digits of an id that stand for a file, and as many for the state that it is in: among a hundred thousand files two hardly
/// ever share them, and a model can repeat them.
pub const OCCURRENCE_DIGITS: usize = 12;

/// Hex digits in the id of an occurrence that stand for what was looked for. They are there against mistakes: who wants an
/// id to fit can make one.
pub const SEARCH_DIGITS: usize = 6;

/// Files that one call changes whose ids were chosen: as many as a list may have edits. What each of them becomes is held until
/// all are known.
pub const CHANGED_FILES: usize = 1_000;

/// Bytes of memory that one compiled regular expression may take; repetitions such as `(a{1000}){1000}` want more.
pub const REGEX_COMPILED_BYTES: usize = 10 << 20;

/// How often all of a text may be looked at while matches are searched in it one after the other: a
/// few times where a match is long or nearly one.
pub const REGEX_LOOKS: u64 = 16;

/// Bytes that may be looked at beside that, so that in a small file any expression may be slow: a
/// second of searching. With [`REGEX_LOOKS`], the largest file takes some seconds.
pub const REGEX_LOOKS_BYTES: u64 = 256 << 20;

/// Searches of which one is repeated to count how far it looks, where all together may look too far:
/// the others then tell what they cost together.
pub const REGEX_MATCHES_PER_COUNT: u32 = 16;

/// Groups of a regular expression, the whole match among them: the time of a search grows with their number.
pub const REGEX_GROUPS: usize = 101;

/// Bytes of a pattern to search for: far more than anybody types, and every character of a regular expression takes
/// some hundred bytes of memory while it is parsed.
pub const PATTERN_BYTES: usize = 64 << 10;

/// Bytes of one line that a search holds to look at it as a whole. The rest of a file with a longer line is not searched.
pub const SEARCHED_LINE_BYTES: usize = 32 << 20;

/// Characters of a line that a search shows: more than people write, and a small part of what programs put on one line.
pub const SHOWN_LINE_CHARS: usize = 500;

/// The same of all the lines together that one match of several lines touches.
pub const SHOWN_LINES_CHARS: usize = 4000;

/// Missing paths of one call for which other names are suggested: a whole directory is looked at for each.
pub const SUGGESTED_MISSES: u32 = 4;

/// Wrong arguments of one call that its error names, each with its repair.
pub const ARGUMENT_PROBLEMS: usize = 8;

/// Other granted directories in which a missing relative path is looked for: each costs a walk.
pub const SUGGESTED_GRANTS: usize = 16;

/// Bytes of a name up to which it is compared with others letter by letter.
pub const SUGGESTED_NAME_BYTES: usize = 64;

/// Bytes of a pattern over paths: longer than any that a person writes, and quick to compile.
pub const GLOB_BYTES: usize = 4096;

/// Patterns that the braces of one pattern over paths may stand for, where each has to be compiled
/// by itself: more paths than a person lists.
pub const GLOB_ALTERNATIVES: usize = 256;

/// Links that a walk remembers, of those that a pattern names: one of them is named in a note.
pub const LINKS_REMEMBERED: usize = 8;

/// Braces inside braces in a pattern over paths.
pub const GLOB_NESTING: usize = 32;

/// Bytes of memory that one compiled pattern over paths may take: the longest that are allowed need less.
pub const GLOB_COMPILED_BYTES: usize = 10 << 20;

/// Bytes of the states that matching such a pattern makes. Usual ones make a few KiB; a `?` behind a
/// `*` can double them, and a call may have many patterns.
pub const GLOB_STATES_BYTES: usize = 1 << 20;

/// Bytes of names that a walk holds of one directory, their kinds among them: a directory of a million names is read a
/// few times over for that. Twice as much is held while it is read.
pub const WALK_PAGE_BYTES: usize = 4 << 20;

/// Bytes of names that a walk holds of all the directories on its way.
pub const WALK_NAMES_BYTES: usize = 8 << 20;

/// Names that a walk passes between two looks at the clock: a look costs about as much as a name.
pub const WALK_NAMES_PER_LOOK: u32 = 32;

/// Bytes of an ignore file. The largest in public collections have some 10 KiB; ten thousand plain
/// paths of a large repository fit. A larger file is left out, and a note says so.
pub const IGNORE_FILE_BYTES: u64 = 256 << 10;

/// Estimated bytes that the matcher of one ignore file takes, by [`IGNORE_PLAIN_RULE_BYTES`] and the
/// constants behind it: some 1,500 rules with wildcards, or ten thousand without. To compile these
/// takes a quarter of a second in the component. The automaton then has a third of the states from
/// which on the regex engine panics in 32 bits.
pub const IGNORE_FILE_SIZE: usize = 2 << 20;

/// The same of all ignore files that a walk holds at once: those of a directory and of all around
/// it. Each answer of a walk compiles them anew, which takes half a second at most.
pub const IGNORE_FILES_SIZE: usize = 2 * IGNORE_FILE_SIZE;

/// Estimated bytes of a rule without wildcards, beside its text: it is an entry of a table.
pub const IGNORE_PLAIN_RULE_BYTES: usize = 128;

/// Estimated bytes of a rule with wildcards, for each byte of its text: two states of an automaton.
pub const IGNORE_WILD_BYTE_BYTES: usize = 32;

/// Estimated bytes of a state that matching such a rule makes. There are up to twice as many for each
/// `?` or class behind a `*`.
pub const IGNORE_STATE_BYTES: usize = 512;

/// Doublings of these states that are counted: a few MiB are all that the engine keeps of them.
pub const IGNORE_DOUBLINGS: u32 = 12;

/// Ignore files with wildcards whose matchers keep the states that they make, of those that hold in a
/// directory: the engine keeps up to 20 MiB for each. Few repositories have more of them.
pub const IGNORE_FILES_KEPT: usize = 4;

/// Bytes of states for each further file, divided by its number: together a hundred MiB, however many
/// there are. When they are used up, the matcher forgets them and begins anew, which is slower.
pub const IGNORE_STATES_BYTES: usize = 16 << 20;

/// Bytes of one of these states beside [`IGNORE_STATE_SHARE`]: a table of what follows.
pub const IGNORE_STATE_OVERHEAD: usize = 256;

/// Estimated bytes of rules for which such a state has a byte: it lists where in the rules it is.
pub const IGNORE_STATE_SHARE: usize = 64;

/// Bytes of JSON in one answer.
pub const ANSWER_BYTES: usize = 1 << 20;

/// Bytes of paths and errors in one answer of `read-many`, beside the contents: with the default budgets an answer stays
/// below 1 MiB.
pub const ECHO_BYTES: usize = 512 << 10;

/// Names in a directory that are looked at for what a caller may have meant: a missing file is to be told quickly.
pub const SUGGESTION_NAMES: usize = 10_000;

/// Names beside a new one that are compared with it: a note is not worth the listing of a large directory.
pub const TWIN_NAMES: usize = 1_000;

/// Names that are suggested where one is missing.
pub const SUGGESTIONS: usize = 3;

/// Bytes at the start of a file that are searched for the place most like a text that does not occur: below 100 ms in
/// the component, whatever the bytes are. Source files are hardly ever larger.
pub const NEAREST_BYTES: u64 = 2 << 20;

/// Bytes of a text up to which the place most like it is searched for. The search holds some 20 bytes for each.
pub const NEAREST_OLD_BYTES: usize = 256 << 10;

/// Visible characters of a text up to which it is compared as a whole with a place; of a longer one, half as many at
/// either end tell where it begins and ends.
pub const NEAREST_CHARS: usize = 4096;

/// Places that are compared character by character. The characters that they share with the text tell which, and the
/// right one is nearly always the first of them.
pub const NEAREST_PLACES: usize = 16;

/// Steps of 64 characters by one that these comparisons take together, some nanoseconds each: enough for all the
/// places of a text of 2,000 characters, and for seven of the longest text's.
pub const NEAREST_STEPS: usize = 6_000_000;

/// Percent of its characters that a place has to have in common with a text to be shown: in unrelated lines of one
/// language it is up to 40 or so, and a wrong place is worse than none.
pub const NEAREST_ALIKE: usize = 60;

/// Characters of a word that tell where two texts differ.
pub const NAMED_CHARS: usize = 20;

/// Files that a pattern may match in one call that copies or deletes them: what is more is easily not what was meant, and
/// every one of them is held until all are known.
pub const GLOB_MATCHES: usize = 1_000;

/// Bytes of the paths that an outcome lists.
pub const PATHS_LISTED_BYTES: usize = 64 << 10;

/// Default limit of the history in bytes, records and trash together: a working day of large edits.
pub const HISTORY_BYTES: u64 = 1 << 30;

/// Default limit of the history in entries. Each pruning counts them.
pub const HISTORY_ENTRIES: u64 = 10_000;

/// Default age at which entries leave the history.
pub const HISTORY_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Granted directories that a record of the history names. Sessions with more of them share their
/// entries with sessions of the same grants and rules only.
pub const SCOPE_GRANTS: usize = 16;

/// Calls with changes after which the history is pruned: pruning takes some milliseconds for the
/// largest history, so its part of each call is some microseconds.
pub const PRUNE_EVERY: u64 = 128;

/// A call that adds a limit of the history divided by this number prunes at once. The others add
/// less than a quarter of a limit between two prunings, [`PRUNE_EVERY`] / 512.
pub const PRUNE_SHARE: u64 = 512;

/// Bytes of a file of the log up to which a change is written to it: to look through one takes a tenth of a millisecond, and
/// to forget one record writes no more than this anew. A larger change has a file of its own.
pub const LOG_FILE_BYTES: u64 = 256 << 10;

/// Files of the log that are kept in mind: what was changed, what took it back and what took back that are read side by side, each
/// from a file of its own.
pub const LOG_FILES_KEPT: usize = 8;

/// Bytes that have moved and that may be left behind the last record until the next one is written over them: to write over a few takes half as long as
/// to throw them away and to make room again, and more of them are no use of a disk.
pub const MOVED_BYTES_LEFT: u64 = 256 << 10;

/// Bytes of a record's header: two paths of the longest kind, escaped in JSON, and some more.
pub const RECORD_HEADER_BYTES: usize = 128 << 10;

/// Bytes of a record, but for its paths and for what it keeps, that a dry run counts with: more than most records have. Somebody
/// who is told that there may be no undo can still go on; somebody who is not told has lost something.
pub const RECORD_BYTES_FORETOLD: u64 = 1024;

/// Paths of an entry of the history that are shown: enough to know it again.
pub const HISTORY_PATHS: usize = 10;

/// Entries and paths that an outcome of the history lists.
pub const HISTORY_LISTED: usize = 1_000;

/// Time for one answer of `log`: with a path it has to look into every entry, and goes on where it ended.
pub const HISTORY_LOOK: Duration = Duration::from_secs(1);

/// Bytes of files that `log` holds to draw what was done to them: two of the largest that are drawn.
pub const HISTORY_HELD_BYTES: usize = 2 * STRONG_TAG_BYTES as usize;

/// Characters of a checkpoint's name: it is shown in a line.
pub const LABEL_CHARS: usize = 200;

/// How long a lease of a state directory lasts, unless it is renewed: longer than one write takes on a slow disk, and soon
/// over for those who wait for an owner that died.
pub const LEASE: Duration = Duration::from_secs(10);

/// How long before its end an owner takes its lease for over: what may lie between a look at the clock and the write
/// that it allows, and by how much the clocks of two programs may differ.
pub const LEASE_GRACE: Duration = Duration::from_secs(2);

/// How far ahead the end of a lease is believed: one that is farther away was written before the clock was set back.
pub const LEASE_AHEAD: Duration = Duration::from_secs(60);

/// Shortest and longest pause between two looks at a lock that somebody holds: changes take some milliseconds, and who
/// waits for a long one does not keep the disk busy.
pub const LOCK_PAUSES: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));

/// Bytes of a lock record that are read: many times what is written.
pub const LOCK_RECORD_BYTES: usize = 1024;

/// How long a call waits for its turn to change something, where no host waits for it: about what a person does.
pub const LOCK_PATIENCE: Duration = Duration::from_secs(5);

/// How long a reading call waits for one that writes in place: that takes some milliseconds, a large one some hundred.
pub const READ_PATIENCE: Duration = Duration::from_millis(500);

/// The pause between two looks.
pub const READ_PAUSE: Duration = Duration::from_millis(2);

/// Steps on a volume between two looks at the clock: a look costs about as much as a step.
pub const STEPS_PER_LOOK: u32 = 16;

/// Bytes of a policy's text: ten thousand patterns, and no more than an environment holds.
pub const POLICY_BYTES: usize = 128 << 10;

/// Rules of a policy: each is a number of two bytes, and more than that nobody can oversee.
pub const POLICY_RULES: usize = 10_000;

/// Bytes of the patterns of a policy that have to be compiled, such as `**/*a*b`, each with
/// [`POLICY_PATTERN_BYTES`] more. Each costs a start up to a millisecond and some kilobytes, and a
/// file that comes with a project can bring many. Names, such as `**/a/b` and `a/*`, and names with
/// one `*` cost next to nothing and are not counted.
pub const POLICY_COMPILED_BYTES: usize = 16 << 10;

/// Bytes that a pattern to be compiled counts at least: the shortest ones cost as much as those
/// of this length.
pub const POLICY_PATTERN_BYTES: usize = 24;

/// Regular expressions of a policy: each is tried at every name, and a file that comes with a project can bring some.
pub const POLICY_REGEXES: usize = 64;

/// Bytes of each of them, compiled: a path is no long text. All [`POLICY_REGEXES`] of them together have 16 MiB.
pub const POLICY_REGEX_BYTES: usize = 256 << 10;

/// Policies that have lists of allowed paths: each is a bit of a number. There is one for each layer of a configuration.
pub const POLICY_LISTS: usize = 64;

/// Characters in the name of a rule, so that it fits into every sentence.
pub const RULE_NAME_CHARS: usize = 64;

/// Bytes of a file that a front end gives whole: what the systems allow that have a limit of their own.
pub const FRONT_END_FILE_BYTES: u64 = 10 << 20;

/// Bytes of JSON that all the actions of one SHAM text give together: any text file that may be read, whatever of it has to be
/// escaped. They are held until the last action is done, and once more in the answer.
pub const SHAM_DATA_BYTES: usize = 24 << 20;

/// Bytes of a text for a front end: room for the largest file that may be read, and far more than a model writes. What is in it is
/// held several times over while it is carried out.
pub const FRONT_END_TEXT_BYTES: usize = 16 << 20;

/// Bytes of the names that `listDirectory` of the front end `command` gives: as much as a text may have. They are held until the last
/// one is found, and once more in the answer.
pub const COMMAND_LISTING_BYTES: usize = 16 << 20;

/// Actions in one text of the front end `file-action`: what is told of the shortest ones takes far more room than they do.
pub const FILE_ACTIONS: usize = 10_000;

/// Blocks of a SHAM text: the shortest ones take a hundred times as much memory as they have bytes.
pub const SHAM_BLOCKS: usize = 10_000;

/// Mistakes in the form of a SHAM block that are told: enough to see what is wrong with it.
pub const SHAM_ERRORS: usize = 10;

/// Characters of the name of a SHAM action that its mistakes repeat: many times the longest one's. Each of them does.
pub const SHAM_NAME_CHARS: usize = 128;

/// Bytes of a broken SHAM block that an error shows: a model knows the rest of what it has written.
pub const SHAM_SHOWN_BYTES: usize = 16 << 10;

/// Paths in the working set of SHAM texts: it travels with every one of them.
pub const SHAM_WORKING_SET: usize = 1_000;

/// Bytes in JSON of each of them: as many as a path may have, if nothing in it has to be escaped. Else what is written down could be more than the
/// next text may bring along.
pub const SHAM_PATH_BYTES: usize = PATH_BYTES;

/// Changes of SHAM texts that can be taken back: their ids travel with every text.
pub const SHAM_CHANGES: usize = 1_000;

/// Blocks of a workflow: many times what a person writes, and each is a call or more.
pub const WORKFLOW_BLOCKS: usize = 10_000;

/// Parameters of a block: several times as many as any tool has. A line of four bytes takes twenty times as much memory.
pub const WORKFLOW_PARAMETERS: usize = 32;

/// Bytes that variables bring into the blocks of one workflow, all of them together: as many as the largest texts have that one change puts in
/// place. Else a short text could repeat a long variable as often as it has blocks.
pub const WORKFLOW_FILLED_BYTES: usize = 32 << 20;

/// Bytes of JSON that the blocks of one workflow give together, as with the actions of a SHAM text.
pub const WORKFLOW_DATA_BYTES: usize = 24 << 20;

/// Entries of a directory that a workflow lists, whatever the policy says: as many as one answer of the operation has.
pub const WORKFLOW_ITEMS: u32 = 10_000;

/// Bytes of a pattern of picomatch: every path is held against all of it.
pub const PLUGIN_PATTERN_BYTES: usize = 1024;

/// Steps that the calls of one text of the front end `plugin` may take together to hold paths against their patterns, states times units of a
/// path: some seconds, and a million paths against a pattern as people write them.
pub const PLUGIN_STEPS: u64 = 2 << 30;

/// Calls in one text of the front end `plugin`: far more than a model makes, and each can walk through all that there is.
pub const PLUGIN_CALLS: usize = 1_000;

/// Bytes of JSON that the answers of the front end `plugin` have together, as with the actions of a SHAM text.
pub const PLUGIN_DATA_BYTES: usize = 24 << 20;

/// Bytes of the entries that one call of the front end `plugin` lists: as much as a text may have.
pub const PLUGIN_LISTING_BYTES: usize = 16 << 20;

/// Bytes that a file written by the front end `plugin` may have as text, with bytes that are none by their numbers, to be written in one change with
/// what is known about it: as much as a text may have. Noise takes three times as many as it has bytes.
pub const PLUGIN_ESCAPED_BYTES: usize = 16 << 20;

/// Failures after which a directory in the trash is left for a later call: enough to get past what
/// another user owns in it, and a tree of a million such names costs no call a million attempts.
pub const EMPTYING_FAILURES: u32 = 64;

/// Bytes of a sidecar that are read: many times what is written.
pub const PLUGIN_SIDECAR_BYTES: usize = 16 << 10;

/// How often a file is looked at that somebody changes or removes meanwhile: each time takes some milliseconds, and so does a change.
pub const PLUGIN_TRIES: usize = 8;

/// Characters in the name of a media type: twice the 127 that a registered one may have.
pub const MEDIA_TYPE_BYTES: usize = 255;
