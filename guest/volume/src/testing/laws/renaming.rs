//! Other names.

use super::{Law, LawGround, LawResult, laws, refused, same};
use crate::{Access, Fault, Kind, Volume};

laws! {
    a_renamed_file_is_the_same_file
    renaming_replaces_a_file
    renaming_between_directories_keeps_the_file
    renaming_to_itself_does_nothing
    renaming_one_of_two_names_to_the_other_loses_nothing
    a_renamed_directory_keeps_what_is_in_it
    renaming_replaces_an_empty_directory
    a_directory_does_not_move_into_itself
}

fn a_renamed_file_is_the_same_file<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
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

fn renaming_replaces_a_file<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.file(&g.here, "old", b"old")?;
    g.file(&g.here, "new", b"new")?;
    g.rename("new", "old")?;
    same(g.read(&g.here, "old")?, b"new".to_vec())?;
    same(g.stat("old")?.links, 1)?;
    same(g.names(&g.here)?, vec!["old".to_owned()])
}

fn renaming_between_directories_keeps_the_file<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let (from, to) = (g.directory("from")?, g.directory("to")?);
    let identity = g.volume.identity(&g.file(&from, "a", b"ab")?)?;
    g.volume.rename(&from, "a", &to, "b")?;
    same(g.names(&from)?, vec![])?;
    let moved = g.volume.open_file(&to, "b", Access::Read)?;
    same(g.volume.identity(&moved)?, identity)?;
    same(g.content(&moved)?, b"ab".to_vec())
}

fn renaming_to_itself_does_nothing<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.file(&g.here, "a", b"ab")?;
    g.directory("d")?;
    g.rename("a", "a")?;
    g.rename("d", "d")?;
    same(g.read(&g.here, "a")?, b"ab".to_vec())?;
    same(g.stat("d")?.kind, Kind::Directory)
}

fn renaming_one_of_two_names_to_the_other_loses_nothing<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.file(&g.here, "a", b"ab")?;
    if g.link("a", &g.here, "b")?.is_some() {
        g.rename("a", "b")?;
        same((g.read(&g.here, "a")?, g.read(&g.here, "b")?), (b"ab".to_vec(), b"ab".to_vec()))?;
        same(g.stat("b")?.links, 2)?;
    }
    Ok(())
}

fn a_renamed_directory_keeps_what_is_in_it<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let (d, to) = (g.directory("d")?, g.directory("to")?);
    g.file(&d, "a", b"ab")?;
    g.volume.rename(&g.here, "d", &to, "e")?;
    refused(g.stat("d"), Fault::NotFound)?;
    let moved = g.volume.open_directory(&to, "e")?;
    same(g.read(&moved, "a")?, b"ab".to_vec())
}

fn renaming_replaces_an_empty_directory<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let d = g.directory("d")?;
    g.file(&d, "a", b"ab")?;
    g.directory("empty")?;
    g.rename("d", "empty")?;
    same(g.names(&g.here)?, vec!["empty".to_owned()])?;
    same(g.names(&g.volume.open_directory(&g.here, "empty")?)?, vec!["a".to_owned()])
}

fn a_directory_does_not_move_into_itself<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let d = g.directory("d")?;
    g.volume.create_directory(&d, "e")?;
    let e = g.volume.open_directory(&d, "e")?;
    for into in [&d, &e] {
        refused(g.volume.rename(&g.here, "d", into, "f"), Fault::IntoItself)?;
    }
    same(g.names(&d)?, vec!["e".to_owned()])
}
