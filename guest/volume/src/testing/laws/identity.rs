//! Identities.

use super::{Law, LawGround, LawResult, holds, laws, refused, same};
use crate::{Access, Fault, Volume};

laws! {
    names_tell_what_they_stand_for
    directories_are_told_apart
    files_are_told_apart
    files_of_two_grants_are_told_apart
    syncing_works_where_it_is_claimed
    an_open_file_is_readable_without_its_name
    a_handle_stays_with_its_file
    a_directory_handle_stays_with_its_directory
}

fn names_tell_what_they_stand_for<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
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
    // The link itself, not its target.
    let prepared = |name: &str| g.volume.identity_at(&g.prepared, name);
    holds(prepared("to-file")? != prepared("file")?, "a link is its target")?;
    holds(prepared("to-directory")? != prepared("directory")?, "a link is its target")
}

fn directories_are_told_apart<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let (d, e) = (g.directory("d")?, g.directory("e")?);
    let identity = g.volume.directory_identity(&d)?;
    same(g.volume.identity_at(&g.here, "d")?, identity)?;
    let again = g.volume.open_directory_to_empty(&g.here, "d")?;
    same(g.volume.directory_identity(&again)?, identity)?;
    holds(identity != g.volume.directory_identity(&e)?, "two directories are one")?;
    let there = g.second.directory_identity(&g.there)?;
    holds(there != g.volume.directory_identity(&g.here)?, "directories of two grants are one")?;
    g.file(&d, "a", b"")?;
    g.rename("d", "f")?;
    same(g.volume.directory_identity(&d)?, identity)?;
    same(g.volume.identity_at(&g.here, "f")?, identity)
}

fn files_are_told_apart<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let (a, b) = (g.file(&g.here, "a", b"")?, g.file(&g.here, "b", b"")?);
    let again = g.volume.open_file(&g.here, "a", Access::Read)?;
    let identity = g.volume.identity(&a)?;
    same(g.volume.identity(&again)?, identity)?;
    g.write(&a, 0, b"content")?;
    same(g.volume.identity(&again)?, identity)?;
    holds(g.volume.identity(&b)? != identity, "two files are one")
}

fn files_of_two_grants_are_told_apart<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let a = g.volume.create_file(&g.here, "a")?;
    let b = g.second.create_file(&g.there, "a")?;
    holds(g.volume.identity(&a)? != g.second.identity(&b)?, "two files are one")
}

fn syncing_works_where_it_is_claimed<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
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

fn an_open_file_is_readable_without_its_name<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
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

fn a_handle_stays_with_its_file<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
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

fn a_directory_handle_stays_with_its_directory<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
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
