//! New objects with the permissions of others. Volumes do not show permissions; these laws check
//! everything else.

use super::{Law, LawGround, LawResult, laws, refused, same};
use crate::{Access, Fault, Volume};

laws! {
    a_file_like_another_one_is_new_and_empty
    a_directory_like_another_one_is_new_and_empty
    a_directory_can_be_like_one_that_was_granted
}

fn a_file_like_another_one_is_new_and_empty<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.file(&g.here, "a", b"ab")?;
    let source = g.volume.open_file(&g.here, "a", Access::Read)?;
    for (volume, to) in [(g.volume, &g.here), (g.second, &g.there)] {
        let made = volume.create_like(to, "b", &source);
        if !volume.abilities().keeps_modes {
            refused(made, Fault::Unsupported)?;
            refused(volume.stat(to, "b"), Fault::NotFound)?;
            continue;
        }
        let made = made?;
        same(volume.stat_file(&made)?.size, 0)?;
        same(volume.identity(&made)? == g.volume.identity(&source)?, false)?;
        g.write(&made, 0, b"x")?;
        same(g.content(&made)?, b"x".to_vec())?;
        same(g.read(&g.here, "a")?, b"ab".to_vec())?;
        // The permissions hold for one file only.
        volume.create_file(to, "c")?;
    }
    Ok(())
}

fn a_directory_like_another_one_is_new_and_empty<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let source = g.directory("d")?;
    g.file(&source, "a", b"ab")?;
    for (volume, to) in [(g.volume, &g.here), (g.second, &g.there)] {
        let made = volume.create_directory_like(to, "e", &source);
        if !volume.abilities().keeps_modes {
            refused(made, Fault::Unsupported)?;
            refused(volume.stat(to, "e"), Fault::NotFound)?;
            continue;
        }
        made?;
        let inside = volume.open_directory(to, "e")?;
        same(g.names(&inside)?, vec![])?;
        volume.create_file(&inside, "b")?;
        volume.create_directory(to, "f")?;
    }
    same(g.names(&source)?, vec!["a".to_owned()])
}

fn a_directory_can_be_like_one_that_was_granted<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    if !g.volume.abilities().keeps_modes {
        return Ok(());
    }
    g.volume.create_directory_like(&g.here, "d", &g.second.root())?;
    same(g.names(&g.here)?, vec!["d".to_owned()])
}
