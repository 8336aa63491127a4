//! Resumes a walk at a cursor, and reads only the directories on the path again.

use super::frames::{At, FrameSource};
use super::ignore_stack::IgnoreStack;
use super::time_budget::TimeBudget;
use super::{Judgement, Walk};
use crate::pager::cursor::WalkPosition;
use fsgate_policy::PolicyPosition;
use fsgate_volume::{Fault, Kind, Volume};

impl<V: Volume> Walk<'_, V> {
    pub(super) fn begin(
        mut self,
        at: At<V>,
        requested: Option<PolicyPosition>,
        levels: &IgnoreStack,
        from: Option<&WalkPosition>,
    ) -> Result<Self, Fault> {
        let mut budget = std::mem::replace(&mut self.budget, TimeBudget::new(self.namespace, None));
        let namespace = self.namespace;
        let begun = budget.graced(namespace, || self.open_way(at, requested, levels, from));
        self.budget = budget;
        begun.map(|()| self)
    }

    fn open_way(
        &mut self,
        at: At<V>,
        requested: Option<PolicyPosition>,
        levels: &IgnoreStack,
        place: Option<&WalkPosition>,
    ) -> Result<(), Fault> {
        let segments: Vec<&str> = place.map_or_else(Vec::new, |place| place.path().split('/').collect());
        let (way, last) = match place {
            None | Some(WalkPosition::Within(_)) => (&segments[..], FrameSource::Start),
            Some(WalkPosition::After(_)) => {
                (&segments[..segments.len() - 1], FrameSource::After(last(&segments)))
            }
            Some(WalkPosition::At(..)) => (&segments[..segments.len() - 1], FrameSource::At(last(&segments))),
        };
        let mut next = way.iter();
        let first = next.as_slice().first().map(|name| FrameSource::After((*name).to_owned()));
        let mut last = Some(last);
        let mut fault = self.push(
            String::new(),
            at,
            requested,
            levels,
            first.or_else(|| last.take()).unwrap_or(FrameSource::Start),
        );
        if let Err(fault) = &fault
            && self.frames.last().is_none_or(|frame| frame.names.len() == 0)
        {
            return Err(fault.clone());
        }
        while let Some(name) = next.next() {
            self.path.truncate(self.frames.last().map_or(self.base, |frame| frame.prefix));
            self.path.push_str(name);
            // A directory that has changed or is left out counts as passed.
            if !matches!(self.judge(Kind::Directory), Judgement::Enter | Judgement::Visit { enters: true }) {
                break;
            }
            let depth = self.frames.len();
            let from = next.as_slice().first().map(|name| FrameSource::After((*name).to_owned()));
            fault = self.descend(name, from.or_else(|| last.take()).unwrap_or(FrameSource::Start));
            if let Err(fault) = &fault
                && self.frames.len() == depth
            {
                // A walk that stopped right before it has not counted it.
                if next.as_slice().is_empty() && matches!(place, Some(WalkPosition::Within(_))) {
                    self.skip(fault);
                }
                break;
            }
        }
        Ok(())
    }
}

fn last(segments: &[&str]) -> String {
    segments.last().map_or_else(String::new, |name| (*name).to_owned())
}
