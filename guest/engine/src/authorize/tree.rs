//! Looks through a directory from each of its paths.

use super::NameUse;
use fsgate_contract::limits::POLICY_NAMES;
use fsgate_error::{Denial, Reason};
use fsgate_journal::tree_walk::{TreeVisitor, VisitedDirectory};
use fsgate_policy::PolicyPosition;
use fsgate_volume::policy_guard::PolicyGuard;
use fsgate_volume::{Kind, Volume};

pub(crate) struct TreeView {
    pub(crate) at: PolicyPosition,
    pub(crate) wanted: NameUse,
}

pub(crate) struct TreeCheck<'a, V> {
    pub(crate) volume: &'a V,
    pub(crate) guard: &'a PolicyGuard,
    /// All sides of each directory from the start to the present one.
    pub(crate) views: Vec<Vec<TreeView>>,
    pub(crate) refused: Option<(Reason, String)>,
    pub(crate) reads: bool,
    pub(crate) files: u64,
    pub(crate) looked_at: u64,
}

impl<V: Volume> TreeCheck<'_, V> {
    fn name<'h>(&mut self, here: &VisitedDirectory<'h, V>, name: &str, kind: Kind) {
        if self.refused.is_some() {
            return;
        }
        self.looked_at += 1;
        if self.looked_at > POLICY_NAMES {
            self.refused = Some((Reason::TooManyToAsk, String::new()));
            return;
        }
        let policy = self.guard.policy();
        for TreeView { at, wanted } in self.views.last().into_iter().flatten() {
            let ruling = at.ruling(policy, name, kind == Kind::Directory);
            if let Some((rule, denial)) = wanted.refusal(ruling) {
                // Never reveal the name of a hidden entry.
                self.refused = Some(match ruling.hidden {
                    Some(_) => (Reason::Denied(self.guard.rule(rule), Denial::Inside), String::new()),
                    None => (Reason::Denied(self.guard.rule(rule), denial), here.path_of(name)),
                });
                return;
            }
            let passage = match wanted {
                NameUse::Make if kind == Kind::Link => at.passage(policy, name),
                NameUse::Take if kind == Kind::Link => at.named_passage(policy, name),
                _ => None,
            };
            if let Some(rule) = passage {
                let reason = Reason::Denied(self.guard.rule(rule), Denial::Link);
                self.refused = Some((reason, here.path_of(name)));
                return;
            }
        }
    }
}

impl<V: Volume> TreeVisitor<V> for TreeCheck<'_, V> {
    fn wants(&mut self, here: &VisitedDirectory<V>, name: &str) -> bool {
        self.name(here, name, Kind::Directory);
        self.refused.is_none()
    }

    fn enter(&mut self, _: &VisitedDirectory<V>, name: &str) -> Result<(), Reason> {
        // Another name of the same directory was refused.
        if let Some((reason, _)) = &self.refused {
            return Err(reason.clone());
        }
        let policy = self.guard.policy();
        let inside = self.views.last().into_iter().flatten();
        let inside = inside.map(|side| TreeView { at: side.at.below(policy, name), ..*side }).collect();
        self.views.push(inside);
        Ok(())
    }

    fn entry(&mut self, here: &VisitedDirectory<V>, name: &str, kind: Kind) -> Result<(), Reason> {
        self.name(here, name, kind);
        self.files += u64::from(kind != Kind::Directory);
        if let (Some(most), true, Kind::File, None) =
            (self.guard.policy().limits().max_file_size, self.reads, kind, &self.refused)
            && self.volume.stat(here.directory, name).map_err(Reason::reading)?.size > most
        {
            self.refused = Some((Reason::OverLimit(most), here.path_of(name)));
        }
        match &self.refused {
            Some((reason, _)) => Err(reason.clone()),
            None => Ok(()),
        }
    }

    fn unreachable(&mut self, _: &VisitedDirectory<V>, count: u64) -> Result<(), Reason> {
        // No rule and no call can name them, but entries below them.
        Err(Reason::Unreachable(count))
    }

    fn leave(&mut self, _: &VisitedDirectory<V>, _: &str) -> Result<(), Reason> {
        self.views.pop();
        Ok(())
    }
}
