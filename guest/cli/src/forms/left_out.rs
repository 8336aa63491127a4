//! Omissions of a search, reported once at the end.

use fsgate_contract::search_types::Skipped;

use crate::environment::Shell;

#[derive(Default)]
pub(super) struct LeftOut {
    not_utf8: u64,
    too_deep: u64,
    unreadable: u64,
    denied: u64,
}

impl LeftOut {
    pub(super) fn add(&mut self, skipped: &Skipped) {
        self.not_utf8 += u64::from(skipped.not_utf8);
        self.too_deep += u64::from(skipped.too_deep);
        self.unreadable += u64::from(skipped.unreadable);
        self.denied += u64::from(skipped.denied);
    }

    pub(super) fn tell(&self, shell: &Shell) {
        for (count, what) in [
            (self.not_utf8, "names are not UTF-8, so no path can name them: they are not shown"),
            (self.too_deep, "names lie too deep for any path: they are not shown"),
            (self.unreadable, "directories could not be read: what is in them is not shown"),
            (self.denied, "are denied by the policy: what is in them is not shown"),
        ] {
            if count > 0 {
                shell.complain(&format!("{count} {what}"));
            }
        }
    }
}
