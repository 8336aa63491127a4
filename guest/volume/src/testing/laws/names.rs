//! Valid and invalid names.

use super::{Law, LawGround, LawResult, always, holds, laws, refused, same};
use crate::{Access, Fault, Kind, Volume};

laws! {
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
}

fn names_are_literal<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
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

fn long_names_are_refused<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
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

fn what_is_not_one_name_is_refused<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
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

fn nothing_is_found_where_nothing_is<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.every_use("nothing", always(Fault::NotFound))?;
    same(g.names(&g.here)?, vec![])
}

fn what_is_taken_stays<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.file(&g.here, "file", b"ab")?;
    let d = g.directory("d")?;
    g.file(&d, "inside", b"")?;
    for taken in ["file", "d"] {
        g.every_making(taken, always(Fault::Exists))?;
    }
    same(g.read(&g.here, "file")?, b"ab".to_vec())?;
    same(g.names(&d)?, vec!["inside".to_owned()])
}

fn a_link_is_taken_too<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    for link in ["to-file", "to-directory", "dangling"] {
        refused(g.volume.create_file(&g.prepared, link), Fault::Exists)?;
        refused(g.volume.create_directory(&g.prepared, link), Fault::Exists)?;
    }
    refused(g.volume.stat(&g.prepared, "nowhere"), Fault::NotFound)
}

fn directories_are_not_files<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.file(&g.here, "file", b"")?;
    g.directory("d")?;
    refused(g.volume.open_file(&g.here, "d", Access::Read), Fault::IsDirectory)?;
    refused(g.volume.open_file(&g.here, "d", Access::Write), Fault::IsDirectory)?;
    refused(g.volume.remove_file(&g.here, "d"), Fault::IsDirectory)?;
    refused(g.rename("file", "d"), Fault::IsDirectory)?;
    same(g.stat("d")?.kind, Kind::Directory)
}

fn files_are_not_directories<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.file(&g.here, "file", b"")?;
    g.directory("d")?;
    refused(g.volume.open_directory(&g.here, "file"), Fault::NotDirectory)?;
    refused(g.volume.open_directory_to_empty(&g.here, "file"), Fault::NotDirectory)?;
    refused(g.volume.remove_directory(&g.here, "file"), Fault::NotDirectory)?;
    refused(g.rename("d", "file"), Fault::NotDirectory)?;
    refused(g.volume.remove_directory(&g.prepared, "to-directory"), Fault::NotDirectory)?;
    same(g.stat("file")?.kind, Kind::File)
}

fn full_directories_stay<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let full = g.directory("full")?;
    g.file(&full, "inside", b"ab")?;
    g.directory("other")?;
    refused(g.volume.remove_directory(&g.here, "full"), Fault::NotEmpty)?;
    refused(g.rename("other", "full"), Fault::NotEmpty)?;
    same(g.read(&full, "inside")?, b"ab".to_vec())?;
    // A name that no call can reach still exists.
    refused(g.volume.remove_directory(&g.prepared, "unreachable"), Fault::NotEmpty)
}

fn a_removed_file_is_gone<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.file(&g.here, "a", b"ab")?;
    g.volume.remove_file(&g.here, "a")?;
    refused(g.stat("a"), Fault::NotFound)?;
    same(g.names(&g.here)?, vec![])?;
    g.file(&g.here, "a", b"c")?;
    same(g.read(&g.here, "a")?, b"c".to_vec())
}

fn a_removed_directory_is_gone_and_takes_no_names<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
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
