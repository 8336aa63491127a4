//! What every volume has to keep to, whatever it is made of.
//!
//! The tools are tried on a tree in memory, and work on disks: that is worth something only as far as both are alike.
//! [`check`] tries every law in a fresh directory of its own. What no volume can make, [`PREPARED`] asks for beforehand.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::panic::Location;
use std::time::Duration;

use super::{Access, Fault, Kind, Listed, Stat, Volume};
use crate::contract::types::SpecialKind;

/// The directory in the first volume's root that has to hold [`PREPARED`].
pub const PREPARED_DIRECTORY: &str = "prepared";

/// Everything that has to stand in [`PREPARED_DIRECTORY`] before the laws are tried.
pub const PREPARED: &[Prepared] = &[
    Prepared::File("file", b"content"),
    Prepared::Directory("directory"),
    Prepared::Link("to-file", "file"),
    Prepared::Link("to-directory", "directory"),
    Prepared::Link("dangling", "nowhere"),
    Prepared::Link("verbatim", "./a//b/../\u{fc} %2e"),
    Prepared::Link("outwards", "../../outside"),
    Prepared::Link("absolute", "/etc/passwd"),
    Prepared::Link("to-be-moved", "../prepared/file"),
    Prepared::Fifo("fifo"),
    Prepared::Undecodable("", b"\xff"),
    Prepared::Undecodable("", b"m\xff"),
    Prepared::Undecodable("", b"z\xff"),
    Prepared::Directory("unreachable"),
    Prepared::Undecodable("unreachable", b"\xff"),
];

/// Something in [`PREPARED_DIRECTORY`].
#[derive(Debug, Clone, Copy)]
pub enum Prepared {
    /// A file and its content.
    File(&'static str, &'static [u8]),
    /// An empty directory.
    Directory(&'static str),
    /// A symbolic link and its target.
    Link(&'static str, &'static str),
    /// A FIFO.
    Fifo(&'static str),
    /// An empty file whose name is not UTF-8, in a directory that comes before it, or in none.
    Undecodable(&'static str, &'static [u8]),
}

/// What came out.
#[derive(Debug)]
pub struct Report {
    /// How many laws there are.
    pub laws: usize,
    /// Those that were broken, and how.
    pub broken: Vec<String>,
}

/// Tries all laws on two volumes of one kind, as two grants are. Both are empty, but for what is prepared in the first.
pub fn check<V: Volume>(volume: &V, second: &V) -> Report {
    let laws = laws::<V>();
    let broken = laws.iter().enumerate().filter_map(|(number, (law, holds))| {
        let ground = Ground::new(volume, second, &format!("{number}"));
        let Broken(how) = ground.and_then(|ground| holds(&ground)).err()?;
        Some(format!("{law}, {how}"))
    });
    Report { laws: laws.len(), broken: broken.collect() }
}

/// Where a law is tried.
struct Ground<'a, V: Volume> {
    volume: &'a V,
    /// Empty.
    here: V::Directory,
    prepared: V::Directory,
    second: &'a V,
    /// Empty, in the second volume.
    there: V::Directory,
}

/// How a law was broken.
struct Broken(String);

type Kept = Result<(), Broken>;

/// Every name with its kind and how often it was told, and how many did not decode.
type Listing = (BTreeMap<String, (Kind, usize)>, usize);

type Law<V> = (&'static str, fn(&Ground<'_, V>) -> Kept);

fn laws<V: Volume>() -> Vec<Law<V>> {
    macro_rules! table {
        ($($law:ident)*) => { vec![$((stringify!($law), $law::<V> as fn(&Ground<'_, V>) -> Kept)),*] };
    }
    table! {
        a_new_file_is_empty_and_open_for_both
        what_was_written_is_read
        writing_in_the_middle_keeps_the_rest
        holes_are_zeros
        reads_are_short_at_the_end_and_empty_behind_it
        sizes_are_set_up_and_down
        no_size_is_too_large_to_be_refused
        large_contents_come_in_pieces
        a_file_open_for_reading_is_not_written
        two_handles_see_one_file
        kinds_and_sizes_are_told
        the_last_change_is_told
        names_are_literal
        long_names_are_refused
        what_is_not_one_name_is_refused
        nothing_is_found_where_nothing_is
        what_is_taken_stays
        a_link_is_taken_too
        directories_are_not_files
        files_are_not_directories
        full_directories_stay
        a_removed_file_is_gone
        a_removed_directory_is_gone_and_takes_no_names
        links_are_read_as_they_were_written
        only_links_are_read
        links_are_not_opened
        links_are_not_listed_through
        a_link_is_moved_and_removed_itself
        a_second_name_is_the_same_file
        a_second_name_in_another_directory
        a_link_and_a_special_file_get_a_second_name_themselves
        directories_have_one_name
        a_renamed_file_is_the_same_file
        renaming_replaces_a_file
        renaming_between_directories_keeps_the_file
        renaming_to_itself_does_nothing
        renaming_one_of_two_names_to_the_other_loses_nothing
        a_renamed_directory_keeps_what_is_in_it
        renaming_replaces_an_empty_directory
        a_directory_does_not_move_into_itself
        everything_is_listed_once
        an_empty_directory_lists_nothing
        a_listing_is_broken_off
        a_thousand_names_are_listed
        a_sink_may_use_the_volume
        names_that_do_not_decode_hide_no_others
        files_are_told_apart
        names_tell_what_they_stand_for
        directories_are_told_apart
        files_of_two_grants_are_told_apart
        syncing_works_where_it_is_claimed
        an_open_file_is_readable_without_its_name
        a_handle_stays_with_its_file
        a_directory_handle_stays_with_its_directory
        files_move_between_grants_where_it_is_claimed
        the_root_is_one_directory
        random_numbers_do_not_repeat
        the_clock_never_goes_back
        the_wall_clock_shows_a_day_of_this_age
        a_pause_takes_its_time
    }
}

impl<'a, V: Volume> Ground<'a, V> {
    fn new(volume: &'a V, second: &'a V, name: &str) -> Result<Self, Broken> {
        let fresh = |volume: &V| {
            volume.create_directory(&volume.root(), name)?;
            volume.open_directory(&volume.root(), name)
        };
        let prepared = volume.open_directory(&volume.root(), PREPARED_DIRECTORY)?;
        Ok(Self { volume, here: fresh(volume)?, prepared, second, there: fresh(second)? })
    }

    /// A new file with this content.
    fn file(&self, directory: &V::Directory, name: &str, content: &[u8]) -> Result<V::File, Fault> {
        let file = self.volume.create_file(directory, name)?;
        self.write(&file, 0, content)?;
        Ok(file)
    }

    /// A new directory.
    fn directory(&self, name: &str) -> Result<V::Directory, Fault> {
        self.volume.create_directory(&self.here, name)?;
        self.volume.open_directory(&self.here, name)
    }

    fn write(&self, file: &V::File, offset: u64, content: &[u8]) -> Result<(), Fault> {
        let mut done = 0;
        while done < content.len() {
            match self.volume.write_at(file, offset + done as u64, &content[done..])? {
                0 => return Err(Fault::Io("nothing was written".to_owned())),
                written => done += written,
            }
        }
        Ok(())
    }

    /// All that an open file has.
    fn content(&self, file: &V::File) -> Result<Vec<u8>, Fault> {
        let mut content = Vec::new();
        loop {
            match self.volume.read_at(file, content.len() as u64, 1 << 20)? {
                chunk if chunk.is_empty() => return Ok(content),
                chunk => content.extend(chunk),
            }
        }
    }

    /// All that the file of this name has.
    fn read(&self, directory: &V::Directory, name: &str) -> Result<Vec<u8>, Fault> {
        self.content(&self.volume.open_file(directory, name, Access::Read)?)
    }

    fn stat(&self, name: &str) -> Result<Stat, Fault> {
        self.volume.stat(&self.here, name)
    }

    fn rename(&self, name: &str, new_name: &str) -> Result<(), Fault> {
        self.volume.rename(&self.here, name, &self.here, new_name)
    }

    /// Gives a file a second name; `None` where there is no such thing, and that is said as it has to be.
    fn link(&self, name: &str, to: &V::Directory, new_name: &str) -> Result<Option<()>, Fault> {
        match self.volume.link_file(&self.here, name, to, new_name) {
            Err(Fault::Unsupported) if !self.volume.abilities().links => Ok(None),
            Ok(()) if !self.volume.abilities().links => {
                Err(Fault::Io("linked, without the ability".to_owned()))
            }
            linked => linked.map(Some),
        }
    }

    fn list(&self, directory: &V::Directory) -> Result<Listing, Fault> {
        let (mut names, mut undecodable) = (BTreeMap::new(), 0);
        self.volume.each_entry(directory, &mut |entry| {
            match entry {
                Listed::Name(name, kind) => names.entry(name.to_owned()).or_insert((kind, 0)).1 += 1,
                Listed::Undecodable => undecodable += 1,
            }
            ControlFlow::Continue(())
        })?;
        Ok((names, undecodable))
    }

    fn names(&self, directory: &V::Directory) -> Result<Vec<String>, Fault> {
        Ok(self.list(directory)?.0.into_keys().collect())
    }

    /// Makes every call that takes the name of something, with `name`, and hands its fault to `judge`.
    fn every_use(&self, name: &str, judge: impl Fn(&str, Option<Fault>) -> Kept) -> Kept {
        let (v, here) = (self.volume, &self.here);
        judge("stat", v.stat(here, name).err())?;
        judge("identity_at", v.identity_at(here, name).err())?;
        judge("open_directory", v.open_directory(here, name).err())?;
        judge("open_file", v.open_file(here, name, Access::Read).err())?;
        judge("open_file for writing", v.open_file(here, name, Access::Write).err())?;
        judge("read_link", v.read_link(here, name).err())?;
        if v.abilities().links {
            judge("link_file", v.link_file(here, name, here, "new").err())?;
        }
        judge("rename", v.rename(here, name, here, "new").err())?;
        judge("remove_file", v.remove_file(here, name).err())?;
        judge("remove_directory", v.remove_directory(here, name).err())
    }

    /// Makes every call that takes a new name, with `name`, and hands its fault to `judge`. There has to be a `file`.
    fn every_making(&self, name: &str, judge: impl Fn(&str, Option<Fault>) -> Kept) -> Kept {
        let (v, here) = (self.volume, &self.here);
        judge("create_file", v.create_file(here, name).err())?;
        judge("create_directory", v.create_directory(here, name).err())?;
        if v.abilities().links {
            judge("link_file to", v.link_file(here, "file", here, name).err())?;
        }
        Ok(())
    }
}

impl From<Fault> for Broken {
    #[track_caller]
    fn from(fault: Fault) -> Self {
        Self::here(&format!("{fault:?}"))
    }
}

impl Broken {
    /// Says where: all laws stand in this file.
    #[track_caller]
    fn here(how: &str) -> Self {
        Self(format!("line {}: {how}", Location::caller().line()))
    }
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a law reads better without references")]
fn same<T: PartialEq + Debug>(found: T, wanted: T) -> Kept {
    if found == wanted { Ok(()) } else { Err(Broken::here(&format!("{found:?} instead of {wanted:?}"))) }
}

#[track_caller]
fn refused<T>(result: Result<T, Fault>, wanted: Fault) -> Kept {
    same(result.err(), Some(wanted))
}

#[track_caller]
fn holds(condition: bool, what: &str) -> Kept {
    if condition { Ok(()) } else { Err(Broken::here(what)) }
}

/// A judge who wants this fault of every call.
fn always(wanted: Fault) -> impl Fn(&str, Option<Fault>) -> Kept {
    move |call, found| {
        if found.as_ref() == Some(&wanted) {
            return Ok(());
        }
        Err(Broken(format!("{call}: {found:?} instead of {wanted:?}")))
    }
}

// Content.

fn a_new_file_is_empty_and_open_for_both<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let file = g.volume.create_file(&g.here, "a")?;
    same(g.volume.stat_file(&file)?.size, 0)?;
    same(g.content(&file)?, vec![])?;
    g.write(&file, 0, b"x")?;
    same(g.content(&file)?, b"x".to_vec())
}

fn what_was_written_is_read<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let every_byte: Vec<u8> = (0..=255).collect();
    g.file(&g.here, "a", &every_byte)?;
    same(g.read(&g.here, "a")?, every_byte.clone())?;
    let file = g.volume.open_file(&g.here, "a", Access::Write)?;
    same(g.volume.read_at(&file, 100, 3)?, vec![100, 101, 102])?;
    same(g.volume.read_at(&file, 100, 0)?, vec![])
}

fn writing_in_the_middle_keeps_the_rest<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.file(&g.here, "a", b"0123456789")?;
    let file = g.volume.open_file(&g.here, "a", Access::Write)?;
    g.write(&file, 3, b"xy")?;
    g.write(&file, 9, b"zz")?;
    same(g.content(&file)?, b"012xy5678zz".to_vec())
}

fn holes_are_zeros<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let file = g.file(&g.here, "a", b"ab")?;
    g.write(&file, 5, b"c")?;
    same(g.content(&file)?, b"ab\0\0\0c".to_vec())
}

fn reads_are_short_at_the_end_and_empty_behind_it<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let file = g.file(&g.here, "a", b"0123456789")?;
    same(g.volume.read_at(&file, 8, 100)?, b"89".to_vec())?;
    for offset in [10, 11, 1 << 40] {
        same(g.volume.read_at(&file, offset, 100)?, vec![])?;
    }
    Ok(())
}

fn sizes_are_set_up_and_down<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let file = g.file(&g.here, "a", b"0123456789")?;
    g.volume.set_size(&file, 4)?;
    same(g.content(&file)?, b"0123".to_vec())?;
    g.volume.set_size(&file, 6)?;
    same(g.content(&file)?, b"0123\0\0".to_vec())?;
    g.volume.set_size(&file, 0)?;
    same(g.stat("a")?.size, 0)
}

fn no_size_is_too_large_to_be_refused<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let file = g.file(&g.here, "a", b"ab")?;
    holds(g.volume.set_size(&file, u64::MAX).is_err(), "set_size")?;
    holds(g.volume.write_at(&file, u64::MAX, b"x").is_err(), "write_at")?;
    // There is nothing, or no such place.
    same(g.volume.read_at(&file, u64::MAX, 1).unwrap_or_default(), vec![])?;
    same(g.content(&file)?, b"ab".to_vec())
}

fn large_contents_come_in_pieces<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let content: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    g.file(&g.here, "a", &content)?;
    holds(g.read(&g.here, "a")? == content, "what was read is not what was written")
}

fn a_file_open_for_reading_is_not_written<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.file(&g.here, "a", b"ab")?;
    let file = g.volume.open_file(&g.here, "a", Access::Read)?;
    holds(g.volume.write_at(&file, 0, b"x").is_err(), "write_at")?;
    holds(g.volume.set_size(&file, 0).is_err(), "set_size")?;
    same(g.content(&file)?, b"ab".to_vec())
}

fn two_handles_see_one_file<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let file = g.file(&g.here, "a", b"ab")?;
    let reader = g.volume.open_file(&g.here, "a", Access::Read)?;
    g.write(&file, 1, b"cd")?;
    same(g.content(&reader)?, b"acd".to_vec())?;
    same(g.volume.stat_file(&reader)?, g.stat("a")?)
}

fn kinds_and_sizes_are_told<V: Volume>(g: &Ground<'_, V>) -> Kept {
    for (name, kind) in [
        ("file", Kind::File),
        ("directory", Kind::Directory),
        ("to-file", Kind::Link),
        ("to-directory", Kind::Link),
        ("dangling", Kind::Link),
        ("fifo", Kind::Special(SpecialKind::Other)),
    ] {
        same((name, g.volume.stat(&g.prepared, name)?.kind), (name, kind))?;
    }
    let file = g.volume.open_file(&g.prepared, "file", Access::Read)?;
    let stat = g.volume.stat_file(&file)?;
    same((stat.kind, stat.size, stat.links), (Kind::File, b"content".len() as u64, 1))?;
    same(g.volume.stat(&g.prepared, "file")?, stat)?;
    same(g.volume.stat(&g.prepared, "to-file")?.size, "file".len() as u64)
}

fn the_last_change_is_told<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let file = g.file(&g.here, "a", b"ab")?;
    let before = g.volume.stat_file(&file)?.modified;
    holds(!before.is_zero(), "no time at all")?;
    g.write(&file, 0, b"x")?;
    holds(g.volume.stat_file(&file)?.modified >= before, "time goes backwards")?;
    let written = g.volume.stat_file(&file)?;
    g.content(&file)?;
    same(g.stat("a")?, written)?;
    // Clocks of file systems are coarse: some write is the first after the next tick.
    for _ in 0..1_000_000 {
        g.write(&file, 0, b"y")?;
        if g.volume.stat_file(&file)?.modified > before {
            return Ok(());
        }
    }
    Err(Broken::here("time stands still"))
}

// Names.

fn names_are_literal<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let mut names = vec![
        "..foo",
        "...",
        "foo..",
        ".hidden",
        "a b",
        " ",
        " a ",
        "~",
        "~root",
        "$HOME",
        "\n",
        "a\tb",
        "%2e%2e",
        "%2F",
        "-rf",
        "*",
        "?",
        "[a]",
        "{a,b}",
        "a:b",
        "\"",
        "'",
        "a;b",
        "#",
        "\u{fc}",
        "\u{1f980}",
        "\u{202e}",
        "\u{7f}",
    ];
    if !g.volume.abilities().backslash_separates {
        names.extend(["\\", "..\\a", "\\x41"]);
    }
    for name in &names {
        g.file(&g.here, name, name.as_bytes())?;
    }
    for name in &names {
        same((name, g.read(&g.here, name)?), (name, name.as_bytes().to_vec()))?;
    }
    let listed = g.names(&g.here)?;
    names.sort_unstable();
    same(listed, names.iter().map(|name| (*name).to_owned()).collect())?;
    for name in names {
        g.volume.remove_file(&g.here, name)?;
        g.volume.create_directory(&g.here, name)?;
        g.volume.open_directory(&g.here, name)?;
    }
    Ok(())
}

fn long_names_are_refused<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.file(&g.here, "file", b"")?;
    for (longest, too_long) in
        [("x".repeat(255), "x".repeat(256)), ("\u{fc}".repeat(127), "\u{fc}".repeat(128))]
    {
        g.file(&g.here, &longest, b"ab")?;
        same(g.read(&g.here, &longest)?, b"ab".to_vec())?;
        holds(g.names(&g.here)?.contains(&longest), "a long name is not listed")?;
        g.every_use(&too_long, always(Fault::NameTooLong))?;
        g.every_making(&too_long, always(Fault::NameTooLong))?;
        refused(g.rename("file", &too_long), Fault::NameTooLong)?;
    }
    Ok(())
}

fn what_is_not_one_name_is_refused<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.file(&g.here, "file", b"")?;
    let d = g.directory("d")?;
    g.file(&d, "inside", b"ab")?;
    for name in
        ["", ".", "..", "/", "/etc", "d/", "d/inside", "d/..", "d/new", "../x", "./file", "file\0", "\0"]
    {
        g.every_use(name, always(Fault::InvalidName))?;
        g.every_making(name, always(Fault::InvalidName))?;
        refused(g.rename("file", name), Fault::InvalidName)?;
    }
    same(g.names(&g.here)?, vec!["d".to_owned(), "file".to_owned()])?;
    same(g.names(&d)?, vec!["inside".to_owned()])
}

fn nothing_is_found_where_nothing_is<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.every_use("nothing", always(Fault::NotFound))?;
    same(g.names(&g.here)?, vec![])
}

fn what_is_taken_stays<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.file(&g.here, "file", b"ab")?;
    let d = g.directory("d")?;
    g.file(&d, "inside", b"")?;
    for taken in ["file", "d"] {
        g.every_making(taken, always(Fault::Exists))?;
    }
    same(g.read(&g.here, "file")?, b"ab".to_vec())?;
    same(g.names(&d)?, vec!["inside".to_owned()])
}

fn a_link_is_taken_too<V: Volume>(g: &Ground<'_, V>) -> Kept {
    for link in ["to-file", "to-directory", "dangling"] {
        refused(g.volume.create_file(&g.prepared, link), Fault::Exists)?;
        refused(g.volume.create_directory(&g.prepared, link), Fault::Exists)?;
    }
    refused(g.volume.stat(&g.prepared, "nowhere"), Fault::NotFound)
}

fn directories_are_not_files<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.file(&g.here, "file", b"")?;
    g.directory("d")?;
    refused(g.volume.open_file(&g.here, "d", Access::Read), Fault::IsDirectory)?;
    refused(g.volume.open_file(&g.here, "d", Access::Write), Fault::IsDirectory)?;
    refused(g.volume.remove_file(&g.here, "d"), Fault::IsDirectory)?;
    refused(g.rename("file", "d"), Fault::IsDirectory)?;
    same(g.stat("d")?.kind, Kind::Directory)
}

fn files_are_not_directories<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.file(&g.here, "file", b"")?;
    g.directory("d")?;
    refused(g.volume.open_directory(&g.here, "file"), Fault::NotDirectory)?;
    refused(g.volume.remove_directory(&g.here, "file"), Fault::NotDirectory)?;
    refused(g.rename("d", "file"), Fault::NotDirectory)?;
    refused(g.volume.remove_directory(&g.prepared, "to-directory"), Fault::NotDirectory)?;
    same(g.stat("file")?.kind, Kind::File)
}

fn full_directories_stay<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let full = g.directory("full")?;
    g.file(&full, "inside", b"ab")?;
    g.directory("other")?;
    refused(g.volume.remove_directory(&g.here, "full"), Fault::NotEmpty)?;
    refused(g.rename("other", "full"), Fault::NotEmpty)?;
    same(g.read(&full, "inside")?, b"ab".to_vec())?;
    // What has a name that no call can reach is there all the same.
    refused(g.volume.remove_directory(&g.prepared, "unreachable"), Fault::NotEmpty)
}

fn a_removed_file_is_gone<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.file(&g.here, "a", b"ab")?;
    g.volume.remove_file(&g.here, "a")?;
    refused(g.stat("a"), Fault::NotFound)?;
    same(g.names(&g.here)?, vec![])?;
    g.file(&g.here, "a", b"c")?;
    same(g.read(&g.here, "a")?, b"c".to_vec())
}

fn a_removed_directory_is_gone_and_takes_no_names<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.file(&g.here, "file", b"ab")?;
    let d = g.directory("d")?;
    g.volume.remove_directory(&g.here, "d")?;
    refused(g.stat("d"), Fault::NotFound)?;
    if !g.volume.abilities().stable_identity {
        return Ok(());
    }
    refused(g.volume.create_file(&d, "a"), Fault::NotFound)?;
    refused(g.volume.create_directory(&d, "a"), Fault::NotFound)?;
    refused(g.volume.rename(&g.here, "file", &d, "a"), Fault::NotFound)?;
    g.directory("d")?;
    refused(g.volume.create_file(&d, "a"), Fault::NotFound)?;
    same(g.read(&g.here, "file")?, b"ab".to_vec())
}

// Symbolic links.

fn links_are_read_as_they_were_written<V: Volume>(g: &Ground<'_, V>) -> Kept {
    for prepared in PREPARED {
        let Prepared::Link(name, target) = *prepared else { continue };
        match g.volume.read_link(&g.prepared, name) {
            // What leads to the host's own root may be kept secret.
            Err(Fault::NotPermitted) if name == "absolute" => {}
            // Another law has it by now.
            Err(Fault::NotFound) if name == "to-be-moved" => {}
            found => same(found, Ok(target.to_owned()))?,
        }
    }
    Ok(())
}

fn only_links_are_read<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.file(&g.here, "file", b"")?;
    g.directory("d")?;
    refused(g.volume.read_link(&g.here, "file"), Fault::Unsupported)?;
    refused(g.volume.read_link(&g.here, "d"), Fault::Unsupported)
}

fn links_are_not_opened<V: Volume>(g: &Ground<'_, V>) -> Kept {
    for link in ["to-file", "to-directory", "dangling", "outwards", "absolute"] {
        let outcomes = [
            ("to read", g.volume.open_file(&g.prepared, link, Access::Read).err()),
            ("to write", g.volume.open_file(&g.prepared, link, Access::Write).err()),
            ("as a directory", g.volume.open_directory(&g.prepared, link).err()),
        ];
        for (how, found) in outcomes {
            same((link, how, found), (link, how, Some(Fault::Loop)))?;
        }
    }
    same(g.read(&g.prepared, "file")?, b"content".to_vec())
}

fn links_are_not_listed_through<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let (names, _) = g.list(&g.prepared)?;
    for link in ["to-file", "to-directory", "dangling"] {
        same((link, names.get(link)), (link, Some(&(Kind::Link, 1))))?;
    }
    Ok(())
}

fn a_link_is_moved_and_removed_itself<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.volume.rename(&g.prepared, "to-be-moved", &g.here, "link")?;
    same(g.stat("link")?.kind, Kind::Link)?;
    same(g.volume.read_link(&g.here, "link")?, "../prepared/file".to_owned())?;
    // A file takes the link's name, not what it leads to.
    g.file(&g.here, "file", b"ab")?;
    g.rename("link", "other")?;
    g.rename("file", "other")?;
    same(g.read(&g.here, "other")?, b"ab".to_vec())?;
    same(g.read(&g.prepared, "file")?, b"content".to_vec())
}

// More than one name.

fn a_second_name_is_the_same_file<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let file = g.file(&g.here, "a", b"ab")?;
    if g.link("a", &g.here, "b")?.is_none() {
        refused(g.stat("b"), Fault::NotFound)?;
        return same(g.stat("a")?.links, 1);
    }
    let other = g.volume.open_file(&g.here, "b", Access::Write)?;
    same(g.volume.identity(&other)?, g.volume.identity(&file)?)?;
    same((g.stat("a")?.links, g.stat("b")?.links), (2, 2))?;
    g.write(&other, 0, b"x")?;
    same(g.read(&g.here, "a")?, b"xb".to_vec())?;
    g.volume.remove_file(&g.here, "a")?;
    same(g.stat("b")?.links, 1)?;
    same(g.read(&g.here, "b")?, b"xb".to_vec())
}

fn a_second_name_in_another_directory<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let file = g.file(&g.here, "a", b"ab")?;
    let d = g.directory("d")?;
    if g.link("a", &d, "a")?.is_none() {
        return same(g.names(&d)?, vec![]);
    }
    let other = g.volume.open_file(&d, "a", Access::Read)?;
    same(g.volume.identity(&other)?, g.volume.identity(&file)?)?;
    refused(g.link("a", &d, "a"), Fault::Exists)
}

fn a_link_and_a_special_file_get_a_second_name_themselves<V: Volume>(g: &Ground<'_, V>) -> Kept {
    if !g.volume.abilities().links {
        return Ok(());
    }
    for name in ["to-file", "dangling", "outwards", "fifo"] {
        g.volume.link_file(&g.prepared, name, &g.here, name)?;
        same(g.stat(name)?.kind, g.volume.stat(&g.prepared, name)?.kind)?;
        same(g.volume.identity_at(&g.here, name)?, g.volume.identity_at(&g.prepared, name)?)?;
        g.volume.remove_file(&g.here, name)?;
    }
    same(g.read(&g.prepared, "file")?, b"content".to_vec())
}

fn directories_have_one_name<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.directory("d")?;
    let wanted = if g.volume.abilities().links { Fault::NotPermitted } else { Fault::Unsupported };
    refused(g.volume.link_file(&g.here, "d", &g.here, "e"), wanted)?;
    refused(g.stat("e"), Fault::NotFound)
}

// Other names.

fn a_renamed_file_is_the_same_file<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let file = g.file(&g.here, "a", b"ab")?;
    let identity = g.volume.identity(&file)?;
    let before = g.stat("a")?;
    g.rename("a", "b")?;
    refused(g.stat("a"), Fault::NotFound)?;
    same(g.stat("b")?, before)?;
    let renamed = g.volume.open_file(&g.here, "b", Access::Read)?;
    same(g.volume.identity(&renamed)?, identity)?;
    same(g.content(&renamed)?, b"ab".to_vec())
}

fn renaming_replaces_a_file<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.file(&g.here, "old", b"old")?;
    g.file(&g.here, "new", b"new")?;
    g.rename("new", "old")?;
    same(g.read(&g.here, "old")?, b"new".to_vec())?;
    same(g.stat("old")?.links, 1)?;
    same(g.names(&g.here)?, vec!["old".to_owned()])
}

fn renaming_between_directories_keeps_the_file<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let (from, to) = (g.directory("from")?, g.directory("to")?);
    let identity = g.volume.identity(&g.file(&from, "a", b"ab")?)?;
    g.volume.rename(&from, "a", &to, "b")?;
    same(g.names(&from)?, vec![])?;
    let moved = g.volume.open_file(&to, "b", Access::Read)?;
    same(g.volume.identity(&moved)?, identity)?;
    same(g.content(&moved)?, b"ab".to_vec())
}

fn renaming_to_itself_does_nothing<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.file(&g.here, "a", b"ab")?;
    g.directory("d")?;
    g.rename("a", "a")?;
    g.rename("d", "d")?;
    same(g.read(&g.here, "a")?, b"ab".to_vec())?;
    same(g.stat("d")?.kind, Kind::Directory)
}

fn renaming_one_of_two_names_to_the_other_loses_nothing<V: Volume>(g: &Ground<'_, V>) -> Kept {
    g.file(&g.here, "a", b"ab")?;
    if g.link("a", &g.here, "b")?.is_some() {
        g.rename("a", "b")?;
        same((g.read(&g.here, "a")?, g.read(&g.here, "b")?), (b"ab".to_vec(), b"ab".to_vec()))?;
        same(g.stat("b")?.links, 2)?;
    }
    Ok(())
}

fn a_renamed_directory_keeps_what_is_in_it<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let (d, to) = (g.directory("d")?, g.directory("to")?);
    g.file(&d, "a", b"ab")?;
    g.volume.rename(&g.here, "d", &to, "e")?;
    refused(g.stat("d"), Fault::NotFound)?;
    let moved = g.volume.open_directory(&to, "e")?;
    same(g.read(&moved, "a")?, b"ab".to_vec())
}

fn renaming_replaces_an_empty_directory<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let d = g.directory("d")?;
    g.file(&d, "a", b"ab")?;
    g.directory("empty")?;
    g.rename("d", "empty")?;
    same(g.names(&g.here)?, vec!["empty".to_owned()])?;
    same(g.names(&g.volume.open_directory(&g.here, "empty")?)?, vec!["a".to_owned()])
}

fn a_directory_does_not_move_into_itself<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let d = g.directory("d")?;
    g.volume.create_directory(&d, "e")?;
    let e = g.volume.open_directory(&d, "e")?;
    for into in [&d, &e] {
        refused(g.volume.rename(&g.here, "d", into, "f"), Fault::NotPermitted)?;
    }
    same(g.names(&d)?, vec!["e".to_owned()])
}

// Listing.

fn everything_is_listed_once<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let (found, undecodable) = g.list(&g.prepared)?;
    let mut wanted = BTreeMap::new();
    let mut wanted_undecodable = 0;
    for prepared in PREPARED {
        let (name, kind) = match *prepared {
            Prepared::File(name, _) => (name, Kind::File),
            Prepared::Directory(name) => (name, Kind::Directory),
            // Another law has it by now, or will have it.
            Prepared::Link("to-be-moved", _) => continue,
            Prepared::Link(name, _) => (name, Kind::Link),
            Prepared::Fifo(name) => (name, Kind::Special(SpecialKind::Other)),
            Prepared::Undecodable(directory, _) => {
                wanted_undecodable += usize::from(directory.is_empty());
                continue;
            }
        };
        wanted.insert(name.to_owned(), (kind, 1));
    }
    let found = found.into_iter().filter(|(name, _)| name != "to-be-moved").collect();
    same((found, undecodable), (wanted, wanted_undecodable))
}

fn an_empty_directory_lists_nothing<V: Volume>(g: &Ground<'_, V>) -> Kept {
    same(g.list(&g.here)?, (BTreeMap::new(), 0))
}

fn a_listing_is_broken_off<V: Volume>(g: &Ground<'_, V>) -> Kept {
    for name in ["a", "b", "c", "d"] {
        g.file(&g.here, name, b"")?;
    }
    let mut told = 0;
    g.volume.each_entry(&g.here, &mut |_| {
        told += 1;
        if told == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    same(told, 2)
}

fn a_thousand_names_are_listed<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let names: Vec<_> =
        (0..1000).map(|n| format!("a file with a name of some length, number {n:04}")).collect();
    for name in &names {
        g.volume.create_file(&g.here, name)?;
    }
    let (found, _) = g.list(&g.here)?;
    holds(found.values().all(|entry| *entry == (Kind::File, 1)), "not files, or not once")?;
    holds(found.into_keys().eq(names), "other names")
}

fn a_sink_may_use_the_volume<V: Volume>(g: &Ground<'_, V>) -> Kept {
    for name in ["a", "b"] {
        g.file(&g.here, name, name.as_bytes())?;
    }
    let mut seen = Vec::new();
    g.volume.each_entry(&g.here, &mut |entry| {
        if let Listed::Name(name, _) = entry {
            seen.push((g.read(&g.here, name), g.volume.remove_file(&g.here, name)));
        }
        ControlFlow::Continue(())
    })?;
    seen.sort_by_key(|(content, _)| content.clone().unwrap_or_default());
    same(seen, vec![(Ok(b"a".to_vec()), Ok(())), (Ok(b"b".to_vec()), Ok(()))])?;
    same(g.names(&g.here)?, vec![])
}

fn names_that_do_not_decode_hide_no_others<V: Volume>(g: &Ground<'_, V>) -> Kept {
    // However they are ordered, some name comes after one that does not decode: sinks that stop there miss it.
    let mut told = 0;
    g.volume.each_entry(&g.prepared, &mut |_| {
        told += 1;
        ControlFlow::Continue(())
    })?;
    let (names, undecodable) = g.list(&g.prepared)?;
    same(told, names.len() + undecodable)?;
    holds(names.len() >= 10 && undecodable == 3, "some are missing")
}

// Identity and what outlasts a call.

fn names_tell_what_they_stand_for<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let at = |name: &str| g.volume.identity_at(&g.here, name);
    let file = g.file(&g.here, "a", b"")?;
    g.file(&g.here, "b", b"")?;
    let identity = at("a")?;
    same(g.volume.identity(&file)?, identity)?;
    holds(identity != at("b")?, "two files are one")?;
    g.write(&file, 0, b"content")?;
    same(at("a")?, identity)?;
    g.rename("a", "c")?;
    same(at("c")?, identity)?;
    refused(at("a"), Fault::NotFound)?;
    // A link is itself, not what it leads to.
    let prepared = |name: &str| g.volume.identity_at(&g.prepared, name);
    holds(prepared("to-file")? != prepared("file")?, "a link is its target")?;
    holds(prepared("to-directory")? != prepared("directory")?, "a link is its target")
}

fn directories_are_told_apart<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let (d, e) = (g.directory("d")?, g.directory("e")?);
    let identity = g.volume.directory_identity(&d)?;
    same(g.volume.identity_at(&g.here, "d")?, identity)?;
    let again = g.volume.open_directory(&g.here, "d")?;
    same(g.volume.directory_identity(&again)?, identity)?;
    holds(identity != g.volume.directory_identity(&e)?, "two directories are one")?;
    let there = g.second.directory_identity(&g.there)?;
    holds(there != g.volume.directory_identity(&g.here)?, "directories of two grants are one")?;
    g.file(&d, "a", b"")?;
    g.rename("d", "f")?;
    same(g.volume.directory_identity(&d)?, identity)?;
    same(g.volume.identity_at(&g.here, "f")?, identity)
}

fn files_are_told_apart<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let (a, b) = (g.file(&g.here, "a", b"")?, g.file(&g.here, "b", b"")?);
    let again = g.volume.open_file(&g.here, "a", Access::Read)?;
    let identity = g.volume.identity(&a)?;
    same(g.volume.identity(&again)?, identity)?;
    g.write(&a, 0, b"content")?;
    same(g.volume.identity(&again)?, identity)?;
    holds(g.volume.identity(&b)? != identity, "two files are one")
}

fn files_of_two_grants_are_told_apart<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let a = g.volume.create_file(&g.here, "a")?;
    let b = g.second.create_file(&g.there, "a")?;
    holds(g.volume.identity(&a)? != g.second.identity(&b)?, "two files are one")
}

fn syncing_works_where_it_is_claimed<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let written = g.file(&g.here, "a", b"ab")?;
    let read = g.volume.open_file(&g.here, "a", Access::Read)?;
    let root = g.volume.root();
    let outcomes = [
        g.volume.sync_file(&written),
        g.volume.sync_file(&read),
        g.volume.sync_directory(&g.here),
        g.volume.sync_directory(&root),
    ];
    for outcome in outcomes {
        match outcome {
            Err(Fault::Unsupported) if !g.volume.abilities().sync => {}
            outcome => outcome?,
        }
    }
    Ok(())
}

fn an_open_file_is_readable_without_its_name<V: Volume>(g: &Ground<'_, V>) -> Kept {
    if !g.volume.abilities().stable_identity {
        return Ok(());
    }
    let file = g.file(&g.here, "a", b"ab")?;
    g.volume.remove_file(&g.here, "a")?;
    holds(g.volume.stat_file(&file)?.links <= 1, "more names than ever")?;
    g.write(&file, 2, b"c")?;
    same(g.content(&file)?, b"abc".to_vec())?;
    same(g.names(&g.here)?, vec![])
}

fn a_handle_stays_with_its_file<V: Volume>(g: &Ground<'_, V>) -> Kept {
    if !g.volume.abilities().stable_identity {
        return Ok(());
    }
    let old = g.file(&g.here, "a", b"old")?;
    g.rename("a", "b")?;
    let new = g.file(&g.here, "a", b"new")?;
    same((g.content(&old)?, g.content(&new)?), (b"old".to_vec(), b"new".to_vec()))?;
    g.file(&g.here, "c", b"third")?;
    g.rename("c", "b")?;
    same(g.content(&old)?, b"old".to_vec())?;
    holds(g.volume.identity(&old)? != g.volume.identity(&new)?, "two files are one")
}

fn a_directory_handle_stays_with_its_directory<V: Volume>(g: &Ground<'_, V>) -> Kept {
    if !g.volume.abilities().stable_identity {
        return Ok(());
    }
    let old = g.directory("d")?;
    g.file(&old, "old", b"")?;
    g.rename("d", "e")?;
    let new = g.directory("d")?;
    g.file(&new, "new", b"")?;
    g.file(&old, "more", b"")?;
    same(g.names(&old)?, vec!["more".to_owned(), "old".to_owned()])?;
    same(g.names(&new)?, vec!["new".to_owned()])
}

// Two grants.

fn files_move_between_grants_where_it_is_claimed<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let identity = g.volume.identity(&g.file(&g.here, "a", b"ab")?)?;
    let moved = g.volume.rename(&g.here, "a", &g.there, "b");
    if !g.volume.abilities().moves_across {
        holds(moved.is_err(), "it moved")?;
        return same(g.read(&g.here, "a")?, b"ab".to_vec());
    }
    moved?;
    same(g.names(&g.here)?, vec![])?;
    let file = g.second.open_file(&g.there, "b", Access::Read)?;
    same(g.second.identity(&file)?, identity)?;
    same(g.second.read_at(&file, 0, 100)?, b"ab".to_vec())?;
    if g.volume.abilities().links {
        g.volume.link_file(&g.there, "b", &g.here, "c")?;
        same(g.read(&g.here, "c")?, b"ab".to_vec())?;
    }
    Ok(())
}

fn the_root_is_one_directory<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let name = format!("root-{:x}", g.volume.random());
    g.file(&g.volume.root(), &name, b"ab")?;
    same(g.read(&g.volume.root(), &name)?, b"ab".to_vec())?;
    g.volume.remove_file(&g.volume.root(), &name)?;
    Ok(())
}

fn the_clock_never_goes_back<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let mut shown = g.volume.now();
    for _ in 0..1000 {
        let next = g.volume.now();
        same(next >= shown, true)?;
        shown = next;
    }
    Ok(())
}

fn the_wall_clock_shows_a_day_of_this_age<V: Volume>(g: &Ground<'_, V>) -> Kept {
    // Since 2001, and before the year 3000.
    let years = g.volume.wall().as_secs() / (365 * 24 * 3600);
    holds((31..1030).contains(&years), "no time of day")
}

fn a_pause_takes_its_time<V: Volume>(g: &Ground<'_, V>) -> Kept {
    for time in [Duration::ZERO, Duration::from_nanos(1), Duration::from_millis(2)] {
        let (begin, day) = (g.volume.now(), g.volume.wall());
        g.volume.pause(time);
        let passed = g.volume.now() - begin;
        holds(passed >= time, "too short")?;
        // Machines are busy, and clocks are set; but hours are not passed in a law.
        holds(passed < Duration::from_secs(3600), "far too long")?;
        let days = g.volume.wall().abs_diff(day);
        holds(days < Duration::from_secs(3600), "the wall clock does not go with the other one")?;
    }
    Ok(())
}

fn random_numbers_do_not_repeat<V: Volume>(g: &Ground<'_, V>) -> Kept {
    let mut drawn: Vec<_> = (0..1000).map(|_| g.volume.random()).collect();
    drawn.sort_unstable();
    drawn.dedup();
    same(drawn.len(), 1000)
}
