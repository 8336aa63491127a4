//! Looks through a directory, seen from each of its paths.

use super::Wanted;
use fsgate_contract::limits::POLICY_NAMES;
use fsgate_error::{Denial, Reason};
use fsgate_journal::descent::{Here, Visitor};
use fsgate_policy::Standpoint;
use fsgate_volume::guard::Guard;
use fsgate_volume::{Kind, Volume};

/// One path to a directory, and the use of the names in it.
pub(crate) struct Side {
    pub(crate) at: Standpoint,
    pub(crate) wanted: Wanted,
}

pub(crate) struct Looking<'a, V> {
    pub(crate) volume: &'a V,
    pub(crate) guard: &'a Guard,
    /// All sides of each directory from the start to the present one.
    pub(crate) ways: Vec<Vec<Side>>,
    /// The refusal, and the path that it may name.
    pub(crate) refused: Option<(Reason, String)>,
    /// The files are read.
    pub(crate) reads: bool,
    pub(crate) files: u64,
    pub(crate) looked_at: u64,
}

impl<V: Volume> Looking<'_, V> {
    fn name<'h>(&mut self, here: &Here<'h, V>, name: &str, kind: Kind) {
        if self.refused.is_some() {
            return;
        }
        self.looked_at += 1;
        if self.looked_at > POLICY_NAMES {
            self.refused = Some((Reason::TooManyToAsk, String::new()));
            return;
        }
        let policy = self.guard.policy();
        for Side { at, wanted } in self.ways.last().into_iter().flatten() {
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
                Wanted::Make if kind == Kind::Link => at.passage(policy, name),
                Wanted::Take if kind == Kind::Link => at.named_passage(policy, name),
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

impl<V: Volume> Visitor<V> for Looking<'_, V> {
    fn wants(&mut self, here: &Here<V>, name: &str) -> bool {
        self.name(here, name, Kind::Directory);
        self.refused.is_none()
    }

    fn enter(&mut self, _: &Here<V>, name: &str) -> Result<(), Reason> {
        // Another name of the same directory was refused.
        if let Some((reason, _)) = &self.refused {
            return Err(reason.clone());
        }
        let policy = self.guard.policy();
        let inside = self.ways.last().into_iter().flatten();
        let inside = inside.map(|side| Side { at: side.at.below(policy, name), ..*side }).collect();
        self.ways.push(inside);
        Ok(())
    }

    fn entry(&mut self, here: &Here<V>, name: &str, kind: Kind) -> Result<(), Reason> {
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

    fn unreachable(&mut self, _: &Here<V>, count: u64) -> Result<(), Reason> {
        // No rule and no call can name them, but entries below them.
        Err(Reason::Unreachable(count))
    }

    fn leave(&mut self, _: &Here<V>, _: &str) -> Result<(), Reason> {
        self.ways.pop();
        Ok(())
    }
}
