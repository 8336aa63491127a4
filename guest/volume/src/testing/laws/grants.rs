//! Two grants, and calls that are not about files.

use std::time::Duration;

use super::{Law, LawGround, LawResult, holds, laws, same};
use crate::{Access, Volume};

laws! {
    files_move_between_grants_where_it_is_claimed
    the_root_is_one_directory
    the_clock_never_goes_back
    the_wall_clock_shows_a_day_of_this_age
    a_pause_takes_its_time
    random_numbers_do_not_repeat
}

fn files_move_between_grants_where_it_is_claimed<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
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

fn the_root_is_one_directory<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let name = format!("root-{:x}", g.volume.random());
    g.file(&g.volume.root(), &name, b"ab")?;
    same(g.read(&g.volume.root(), &name)?, b"ab".to_vec())?;
    g.volume.remove_file(&g.volume.root(), &name)?;
    Ok(())
}

fn the_clock_never_goes_back<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let mut shown = g.volume.now();
    for _ in 0..1000 {
        let next = g.volume.now();
        same(next >= shown, true)?;
        shown = next;
    }
    Ok(())
}

fn the_wall_clock_shows_a_day_of_this_age<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    // Since 2001, and before the year 3000.
    let years = g.volume.wall().as_secs() / (365 * 24 * 3600);
    holds((31..1030).contains(&years), "no time of day")
}

fn a_pause_takes_its_time<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    for time in [Duration::ZERO, Duration::from_nanos(1), Duration::from_millis(2)] {
        let (begin, day) = (g.volume.now(), g.volume.wall());
        g.volume.pause(time);
        let passed = g.volume.now() - begin;
        holds(passed >= time, "too short")?;
        // Machines are busy and clocks are set, but no law takes hours.
        holds(passed < Duration::from_secs(3600), "far too long")?;
        let days = g.volume.wall().abs_diff(day);
        holds(days < Duration::from_secs(3600), "the wall clock does not go with the other one")?;
    }
    Ok(())
}

fn random_numbers_do_not_repeat<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let mut drawn: Vec<_> = (0..1000).map(|_| g.volume.random()).collect();
    drawn.sort_unstable();
    drawn.dedup();
    same(drawn.len(), 1000)
}
