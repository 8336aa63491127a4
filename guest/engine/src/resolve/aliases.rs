//! Aliases of a name: its form in answers, and a link's target.

use super::{At, PathSegment, PathWalk, top};
use fsgate_contract::limits::LINKS;
use fsgate_contract::path::Segments;
use fsgate_error::Reason;
use fsgate_text::excerpt::unshown;
use fsgate_volume::{Fault, Volume};

impl<V: Volume> PathWalk<'_, V> {
    /// The existing name that answers show like this missing one. Answers escape invisible
    /// characters, and callers send names back as shown.
    pub(super) fn unshown(&self, name: &str) -> Option<String> {
        let At::Inside { grant, frames } = &self.at else { return None };
        let volume = &self.namespace.grant(*grant).volume;
        if !name.contains('\\') || volume.abilities().backslash_separates {
            return None;
        }
        let plain = unshown(name).filter(|plain| !plain.contains(['/', '\0']))?;
        let directory = top(frames).ok()?;
        let policy = self.namespace.guard().policy();
        let is_hidden = |is_directory| {
            self.seen_from(&self.shown)
                .is_some_and(|at| at.ruling(policy, &plain, is_directory).hidden.is_some())
        };
        let is_missing = matches!(volume.stat(&directory, name), Err(Fault::NotFound));
        let is_there = is_missing && volume.stat(&directory, &plain).is_ok();
        (is_there && !is_hidden(true) && !is_hidden(false)).then_some(plain)
    }

    /// Puts a link's segments before the rest. An absolute link starts at the root of its grant if
    /// the host has said that the grant is there.
    pub(super) fn follow(&mut self, target: Result<String, Fault>) -> Result<(), Reason> {
        self.links += 1;
        if self.links > LINKS {
            return Err(Reason::LinkLoop);
        }
        // A host hides the target of a link that leads out.
        let target = target.map_err(|_| Reason::PathEscape)?;
        let mut segments = Segments::parse(&target).map_err(|_| Reason::PathEscape)?;
        if segments.absolute {
            let At::Inside { grant, frames } = &mut self.at else { return Err(Reason::PathEscape) };
            let above = self.namespace.names_above(*grant, &segments.names).ok_or(Reason::AbsoluteLink)?;
            segments.names.drain(..above);
            frames.truncate(1);
        }
        if self.ahead.is_empty() {
            self.directory_required |= segments.directory_required;
        }
        for name in segments.names.iter().rev() {
            self.ahead.push_front(PathSegment { name: (*name).to_owned(), asked: false });
        }
        Ok(())
    }
}
