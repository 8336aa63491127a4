//! A volume restricted by the policy.
//!
//! Every granted directory is behind one, and its handles know their positions. So no tool can pass
//! the policy by mistake: hidden names do not exist, denied files cannot be opened, protected ones
//! cannot be changed. The engine checks whole changes beforehand, such as a moved directory's
//! content.
//!
//! State directories are such volumes without rules, so objects can move between them and grants.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use crate::answers::existing;
use crate::bytes::read_all;
use crate::policy_guard::PolicyGuard;
use crate::{Abilities, Access, Fault, Kind, Listed, Stat, Volume};
use fsgate_contract::id::is_temporary;
use fsgate_policy::PolicyPosition;
use fsgate_policy::{CONTENT_HEAD, RuleId, Ruling};

/// A volume with its policy.
pub struct Guarded<V> {
    volume: V,
    guard: Rc<PolicyGuard>,
    /// Its root's position, if any.
    root: Option<PolicyPosition>,
}

/// An open directory and its position.
#[derive(Clone)]
pub struct Directory<D> {
    inner: D,
    at: Option<PolicyPosition>,
}

/// An open file and its state in the policy.
pub struct File<F> {
    inner: F,
    /// Its last known size, which tells whether a read covers the file.
    size: Cell<Option<u64>>,
    content: Cell<ContentVerdict>,
    /// The rule for appending only, and the size at opening.
    append_only: Option<(RuleId, u64)>,
    /// The size limit, and the size at opening.
    ceiling: Option<(u64, u64)>,
}

#[derive(Clone, Copy)]
enum ContentVerdict {
    Unread,
    Free,
    Denied(RuleId),
}

impl<V: Volume> Guarded<V> {
    /// A granted directory with the names of its path.
    pub fn new<'n>(volume: V, guard: Rc<PolicyGuard>, names: impl IntoIterator<Item = &'n str>) -> Self {
        let root = guard.at(names);
        Self { volume, guard, root }
    }

    /// A directory without policy.
    pub fn unasked(volume: V) -> Self {
        Self { volume, guard: Rc::default(), root: None }
    }

    /// The inner volume and directory.
    pub fn bare<'d>(&self, directory: &'d Directory<V::Directory>) -> (&V, &'d V::Directory) {
        (&self.volume, &directory.inner)
    }

    fn asked<'d>(&self, directory: &'d Directory<V::Directory>) -> Option<&'d PolicyPosition> {
        directory.at.as_ref().filter(|_| self.guard.holds())
    }

    fn below(
        &self,
        directory: &Directory<V::Directory>,
        name: &str,
        inner: V::Directory,
    ) -> Directory<V::Directory> {
        let at = directory.at.as_ref().map(|at| at.below(self.guard.policy(), name));
        Directory { inner, at }
    }

    fn ruling(&self, directory: &Directory<V::Directory>, name: &str, is_directory: bool) -> Ruling {
        match self.asked(directory) {
            None => Ruling::default(),
            // It gets the position of the allowed name.
            Some(at) if self.is_temporary(name) => at.own().within(),
            Some(at) => at.ruling(self.guard.policy(), name, is_directory),
        }
    }

    /// Whether it is an allowed change's temporary name. In other calls a policy with rules against
    /// reading hides it.
    fn is_temporary(&self, name: &str) -> bool {
        self.guard.is_making() && is_temporary(name)
    }

    fn show(&self, ruling: Ruling) -> Result<(), Fault> {
        ruling.hidden.map_or(Ok(()), |rule| Err(self.guard.hidden(rule)))
    }

    fn open(&self, ruling: Ruling) -> Result<(), Fault> {
        self.show(ruling)?;
        ruling.denied.map_or(Ok(()), |rule| Err(self.guard.denied(rule)))
    }

    fn change(&self, ruling: Ruling) -> Result<(), Fault> {
        self.open(ruling)?;
        ruling.read_only.map_or(Ok(()), |rule| Err(self.guard.denied(rule)))
    }

    /// Refuses new names without revealing whether they exist.
    fn make(&self, ruling: Ruling) -> Result<(), Fault> {
        let rule = ruling.hidden.or(ruling.denied).or(ruling.read_only);
        rule.map_or(Ok(()), |rule| Err(self.guard.denied(rule)))
    }

    fn name(&self, directory: &Directory<V::Directory>, name: &str, is_directory: bool) -> Result<(), Fault> {
        self.make(self.ruling(directory, name, is_directory))?;
        self.kept_apart(directory, name)?.map_or(Ok(()), |rule| Err(self.guard.denied(rule)))
    }

    fn judge(&self, file: &File<V::File>, offset: u64, bytes: &[u8]) -> Result<(), Fault> {
        let is_head = |bytes: &[u8]| {
            bytes.len() >= CONTENT_HEAD || file.size.get().is_some_and(|size| bytes.len() as u64 >= size)
        };
        let rule = if offset == 0 && is_head(bytes) {
            self.guard.policy().content(&bytes[..bytes.len().min(CONTENT_HEAD)])
        } else {
            self.guard.policy().content(&read_all(&self.volume, &file.inner, 0, CONTENT_HEAD)?)
        };
        file.content.set(rule.map_or(ContentVerdict::Free, ContentVerdict::Denied));
        Ok(())
    }

    fn created(&self, directory: &Directory<V::Directory>, inner: V::File) -> File<V::File> {
        let most = self.guard.policy().limits().max_file_size.filter(|_| self.asked(directory).is_some());
        File {
            inner,
            size: Cell::new(None),
            content: Cell::new(ContentVerdict::Free),
            append_only: None,
            ceiling: most.map(|most| (most, 0)),
        }
    }

    fn grows(&self, file: &File<V::File>, end: u64) -> Result<(), Fault> {
        match file.ceiling.filter(|_| self.guard.holds()) {
            Some((most, size)) if end > most && end > size => Err(Fault::OverLimit(most)),
            _ => Ok(()),
        }
    }

    fn keeps(&self, file: &File<V::File>, from: u64) -> Result<(), Fault> {
        match file.append_only.filter(|_| self.guard.holds()) {
            Some((rule, size)) if from < size => Err(self.guard.denied(rule)),
            _ => Ok(()),
        }
    }
}

impl<V: Volume> Volume for Guarded<V> {
    type Directory = Directory<V::Directory>;
    type File = File<V::File>;

    fn root(&self) -> Self::Directory {
        Directory { inner: self.volume.root(), at: self.root.clone() }
    }

    fn stat(&self, directory: &Self::Directory, name: &str) -> Result<Stat, Fault> {
        let stat = self.volume.stat(&directory.inner, name)?;
        self.show(self.ruling(directory, name, stat.kind == Kind::Directory))?;
        Ok(stat)
    }

    fn each_entry(
        &self,
        directory: &Self::Directory,
        sink: &mut dyn FnMut(Listed<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let policy = self.guard.policy();
        let hides = |name: &str| policy.hides() || policy.unfinished().is_some() && is_temporary(name);
        if self.asked(directory).is_none() {
            return self.volume.each_entry(&directory.inner, sink);
        }
        self.volume.each_entry(&directory.inner, &mut |listed| match listed {
            Listed::Name(name, kind)
                if hides(name) && self.ruling(directory, name, kind == Kind::Directory).hidden.is_some() =>
            {
                ControlFlow::Continue(())
            }
            listed => sink(listed),
        })
    }

    fn open_directory(&self, directory: &Self::Directory, name: &str) -> Result<Self::Directory, Fault> {
        self.open(self.ruling(directory, name, true))?;
        let inner = self.volume.open_directory(&directory.inner, name)?;
        Ok(self.below(directory, name, inner))
    }

    fn open_file(
        &self,
        directory: &Self::Directory,
        name: &str,
        access: Access,
    ) -> Result<Self::File, Fault> {
        let ruling = self.ruling(directory, name, false);
        match access {
            Access::Read => self.open(ruling)?,
            Access::Write => self.change(ruling)?,
        }
        let inner = self.volume.open_file(&directory.inner, name, access)?;
        let asks = self.asked(directory).is_some();
        let most = self.guard.policy().limits().max_file_size.filter(|_| asks);
        let is_written = access == Access::Write;
        let append_only = ruling.append_only.filter(|_| is_written);
        let size = match (most, append_only) {
            (None, None) => None,
            _ => Some(self.volume.stat_file(&inner)?.size),
        };
        if let (Some(most), Some(size), Access::Read) = (most, size, access)
            && size > most
            && !self.guard.is_in_part()
        {
            return Err(Fault::OverLimit(most));
        }
        let judged = if asks && self.guard.policy().judges_content() {
            ContentVerdict::Unread
        } else {
            ContentVerdict::Free
        };
        Ok(File {
            inner,
            size: Cell::new(size),
            content: Cell::new(judged),
            append_only: append_only.zip(size),
            ceiling: most.filter(|_| is_written).zip(size),
        })
    }

    fn open_directory_to_empty(
        &self,
        directory: &Self::Directory,
        name: &str,
    ) -> Result<Self::Directory, Fault> {
        self.open(self.ruling(directory, name, true))?;
        let inner = self.volume.open_directory_to_empty(&directory.inner, name)?;
        Ok(self.below(directory, name, inner))
    }

    fn create_file(&self, directory: &Self::Directory, name: &str) -> Result<Self::File, Fault> {
        self.name(directory, name, false)?;
        Ok(self.created(directory, self.volume.create_file(&directory.inner, name)?))
    }

    fn create_like(
        &self,
        directory: &Self::Directory,
        name: &str,
        source: &Self::File,
    ) -> Result<Self::File, Fault> {
        self.name(directory, name, false)?;
        Ok(self.created(directory, self.volume.create_like(&directory.inner, name, &source.inner)?))
    }

    fn create_directory(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault> {
        self.name(directory, name, true)?;
        self.volume.create_directory(&directory.inner, name)
    }

    fn create_directory_like(
        &self,
        directory: &Self::Directory,
        name: &str,
        source: &Self::Directory,
    ) -> Result<(), Fault> {
        self.name(directory, name, true)?;
        self.volume.create_directory_like(&directory.inner, name, &source.inner)
    }

    fn read_link(&self, directory: &Self::Directory, name: &str) -> Result<String, Fault> {
        self.open(self.ruling(directory, name, false))?;
        self.volume.read_link(&directory.inner, name)
    }

    fn link_file(
        &self,
        from: &Self::Directory,
        name: &str,
        to: &Self::Directory,
        new_name: &str,
    ) -> Result<(), Fault> {
        let ruling = self.ruling(from, name, false);
        self.change(ruling)?;
        // An unfinished file has no other name to be overwritten under.
        let append_only = ruling.append_only.filter(|_| !self.is_temporary(name));
        append_only.map_or(Ok(()), |rule| Err(self.guard.denied(rule)))?;
        self.name(to, new_name, false)?;
        self.volume.link_file(&from.inner, name, &to.inner, new_name)
    }

    fn rename(
        &self,
        from: &Self::Directory,
        name: &str,
        to: &Self::Directory,
        new_name: &str,
    ) -> Result<(), Fault> {
        // The kind is looked up only if it matters.
        let matters =
            |directory, name| self.ruling(directory, name, false) != self.ruling(directory, name, true);
        let is_directory = (matters(from, name) || matters(to, new_name))
            && self.volume.stat(&from.inner, name)?.kind == Kind::Directory;
        self.change(self.ruling(from, name, is_directory))?;
        self.name(to, new_name, is_directory)?;
        self.volume.rename(&from.inner, name, &to.inner, new_name)
    }

    fn remove_file(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault> {
        self.change(self.ruling(directory, name, false))?;
        self.volume.remove_file(&directory.inner, name)
    }

    fn remove_directory(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault> {
        self.change(self.ruling(directory, name, true))?;
        self.volume.remove_directory(&directory.inner, name)
    }

    fn stat_directory(&self, directory: &Self::Directory) -> Result<Stat, Fault> {
        self.volume.stat_directory(&directory.inner)
    }

    fn stat_file(&self, file: &Self::File) -> Result<Stat, Fault> {
        let stat = self.volume.stat_file(&file.inner)?;
        file.size.set(Some(stat.size));
        Ok(stat)
    }

    fn read_at(&self, file: &Self::File, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        let bytes = self.volume.read_at(&file.inner, offset, length)?;
        if !self.guard.holds() {
            return Ok(bytes);
        }
        if matches!(file.content.get(), ContentVerdict::Unread) {
            self.judge(file, offset, &bytes)?;
        }
        match file.content.get() {
            ContentVerdict::Denied(rule) => Err(self.guard.denied(rule)),
            ContentVerdict::Unread | ContentVerdict::Free => Ok(bytes),
        }
    }

    fn write_at(&self, file: &Self::File, offset: u64, bytes: &[u8]) -> Result<usize, Fault> {
        self.keeps(file, offset)?;
        self.grows(file, offset.saturating_add(bytes.len() as u64))?;
        self.volume.write_at(&file.inner, offset, bytes)
    }

    fn set_size(&self, file: &Self::File, size: u64) -> Result<(), Fault> {
        self.keeps(file, size)?;
        self.grows(file, size)?;
        self.volume.set_size(&file.inner, size)
    }

    fn sync_file(&self, file: &Self::File) -> Result<(), Fault> {
        self.volume.sync_file(&file.inner)
    }

    fn sync_directory(&self, directory: &Self::Directory) -> Result<(), Fault> {
        self.volume.sync_directory(&directory.inner)
    }

    fn identity(&self, file: &Self::File) -> Result<u128, Fault> {
        self.volume.identity(&file.inner)
    }

    fn identity_at(&self, directory: &Self::Directory, name: &str) -> Result<u128, Fault> {
        // The kind matters, unless the name is hidden anyway.
        let hides = |is_directory| self.ruling(directory, name, is_directory).hidden.is_some();
        if !self.is_temporary(name) && (hides(true) || hides(false)) {
            self.stat(directory, name)?;
        }
        self.volume.identity_at(&directory.inner, name)
    }

    fn directory_identity(&self, directory: &Self::Directory) -> Result<u128, Fault> {
        self.volume.directory_identity(&directory.inner)
    }

    fn standpoint(&self, directory: &Self::Directory) -> Option<PolicyPosition> {
        directory.at.clone()
    }

    fn kept_apart(&self, directory: &Self::Directory, name: &str) -> Result<Option<RuleId>, Fault> {
        if self.asked(directory).is_none() || self.is_temporary(name) {
            return Ok(None);
        }
        for (rule, other) in self.guard.policy().apart(name) {
            if existing(self.volume.stat(&directory.inner, other))?.is_some() {
                return Ok(Some(rule));
            }
        }
        Ok(None)
    }

    fn random(&self) -> u128 {
        self.volume.random()
    }

    fn now(&self) -> Duration {
        self.volume.now()
    }

    fn wall(&self) -> Duration {
        self.volume.wall()
    }

    fn pause(&self, time: Duration) {
        self.volume.pause(time);
    }

    fn abilities(&self) -> Abilities {
        self.volume.abilities()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Item, Memory};
    use fsgate_contract::id::UNFINISHED_CHANGES;
    use fsgate_policy::{Documents, Policy};

    fn guarded(volume: &Memory, policy: &str) -> (Guarded<Memory>, Rc<PolicyGuard>) {
        let policy = Policy::compile(&Documents::parse(policy).unwrap()).unwrap();
        let guard = Rc::new(PolicyGuard::new(policy, &[vec!["w".to_owned()]], &[]));
        (Guarded::new(volume.clone(), guard.clone(), ["w"]), guard)
    }

    fn ruled(effect: &str) -> String {
        format!(r#"{{"profile": "open", "rules": [{{"name": "r", "paths": ["x"], "effect": "{effect}"}}]}}"#)
    }

    fn denied<T>() -> Result<T, Fault> {
        Err(Fault::Denied("r".to_owned()))
    }

    #[test]
    fn each_effect_takes_away_what_it_says() {
        for (effect, stat, read, write, remove, create) in [
            ("no_delete", Ok(()), Ok(()), Ok(()), Ok(()), Err(Fault::Exists)),
            ("read_only", Ok(()), Ok(()), denied(), denied(), denied()),
            ("denied", Ok(()), denied(), denied(), denied(), denied()),
            (
                "hidden",
                Err(Fault::NotFound),
                Err(Fault::NotFound),
                Err(Fault::NotFound),
                Err(Fault::NotFound),
                denied(),
            ),
        ] {
            let memory = Memory::default();
            memory.put("x", Item::File(b"content".to_vec()));
            let (volume, _) = guarded(&memory, &ruled(effect));
            let root = volume.root();
            assert_eq!(volume.stat(&root, "x").map(drop), stat, "{effect}");
            assert_eq!(volume.identity_at(&root, "x").map(drop), stat, "{effect}");
            assert_eq!(volume.open_file(&root, "x", Access::Read).map(drop), read, "{effect}");
            assert_eq!(volume.open_file(&root, "x", Access::Write).map(drop), write, "{effect}");
            assert_eq!(volume.create_file(&root, "x").map(drop), create, "{effect}");
            assert_eq!(volume.remove_file(&root, "x"), remove, "{effect}");
        }
    }

    #[test]
    fn what_only_grows_is_written_behind_what_it_has() {
        let memory = Memory::default();
        memory.put("x", Item::File(b"1234".to_vec()));
        let (volume, guard) = guarded(&memory, &ruled("append_only"));
        let file = volume.open_file(&volume.root(), "x", Access::Write).unwrap();
        assert_eq!(volume.write_at(&file, 3, b"x"), denied());
        assert_eq!(volume.set_size(&file, 3), denied());
        assert_eq!(volume.write_at(&file, 4, b"56"), Ok(2));
        // The opener can remove the bytes that it has added.
        assert_eq!(volume.set_size(&file, 4), Ok(()));
        assert_eq!(volume.link_file(&volume.root(), "x", &volume.root(), "y"), denied());
        let _lifted = guard.lift();
        assert_eq!(volume.set_size(&file, 0), Ok(()));
    }

    #[test]
    fn content_is_judged_by_the_first_read_wherever_it_begins() {
        let key = b"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n";
        for (offset, length) in [(0, 4096), (0, key.len()), (0, 3), (10, 5), (70, 10)] {
            for looks in [true, false] {
                let memory = Memory::default();
                memory.put("k", Item::File(key.to_vec()));
                memory.put("x", Item::File(b"a text".to_vec()));
                let (volume, guard) = guarded(&memory, r#"{"profile": "open", "private_keys": "denied"}"#);
                let root = volume.root();
                let read = |name| {
                    let file = volume.open_file(&root, name, Access::Read).unwrap();
                    if looks {
                        volume.stat_file(&file).unwrap();
                    }
                    let first = volume.read_at(&file, offset, length).map(drop);
                    assert_eq!(volume.read_at(&file, 0, 1).map(drop), first);
                    first
                };
                assert_eq!(read("k"), Err(Fault::Denied("private_keys".to_owned())), "{offset} {length}");
                assert_eq!(read("x"), Ok(()));
                let _lifted = guard.lift();
                assert_eq!(read("k"), Ok(()));
            }
        }
    }

    #[test]
    fn the_largest_file_is_as_large_as_it_may_be() {
        let memory = Memory::default();
        memory.put("small", Item::File(b"1234".to_vec()));
        memory.put("large", Item::File(b"123456".to_vec()));
        let (volume, _) = guarded(&memory, r#"{"profile": "open", "max_file_size": 5}"#);
        let root = volume.root();
        assert_eq!(volume.open_file(&root, "small", Access::Read).map(drop), Ok(()));
        assert_eq!(volume.open_file(&root, "large", Access::Read).map(drop), Err(Fault::OverLimit(5)));
        let file = volume.open_file(&root, "small", Access::Write).unwrap();
        assert_eq!(volume.write_at(&file, 4, b"56"), Err(Fault::OverLimit(5)));
        assert_eq!(volume.set_size(&file, 6), Err(Fault::OverLimit(5)));
        assert_eq!(volume.write_at(&file, 4, b"5"), Ok(1));
        // A file that was too large before can shrink.
        let file = volume.open_file(&root, "large", Access::Write).unwrap();
        assert_eq!(volume.set_size(&file, 5), Ok(()));
        assert_eq!(
            volume.write_at(&volume.create_file(&root, "new").unwrap(), 0, b"123456"),
            Err(Fault::OverLimit(5))
        );
    }

    fn names_in(volume: &Guarded<Memory>) -> Vec<String> {
        let mut names = Vec::new();
        let mut sink = |listed: Listed<'_>| {
            if let Listed::Name(name, _) = listed {
                names.push(name.to_owned());
            }
            ControlFlow::Continue(())
        };
        volume.each_entry(&volume.root(), &mut sink).unwrap();
        names.sort();
        names
    }

    #[test]
    fn a_temporary_name_is_under_the_rules_of_its_directory() {
        let memory = Memory::default();
        memory.put("x/old", Item::File(Vec::new()));
        let temporary = format!(".fsgate-{:032x}", 7);
        let policy = r#"{"profile": "open", "allowed_extensions": [".md"],
            "rules": [{"name": "r", "paths": ["x"], "effect": "read_only"}]}"#;
        let (volume, guard) = guarded(&memory, policy);
        let root = volume.root();
        let extension = Err(Fault::Denied("allowed_extensions".to_owned()));
        let unfinished = Err(Fault::Denied(UNFINISHED_CHANGES.to_owned()));
        assert_eq!(volume.create_file(&root, &temporary).map(drop), unfinished);
        let making = guard.make();
        assert_eq!(volume.create_file(&root, &temporary).map(drop), Ok(()));
        assert_eq!(volume.link_file(&root, &temporary, &root, "a.md"), Ok(()));
        assert_eq!(volume.link_file(&root, &temporary, &root, "a.txt"), extension);
        let inside = volume.open_directory(&root, "x").unwrap();
        assert_eq!(volume.create_file(&inside, &temporary).map(drop), denied());
        drop(making);
        assert_eq!(volume.open_file(&root, &temporary, Access::Read).map(drop), Err(Fault::NotFound));
        assert_eq!(volume.rename(&root, &temporary, &root, "b.md"), Err(Fault::NotFound));
        assert_eq!(names_in(&volume), ["a.md", "x"]);
        // Without a rule against reading, the name is one like any other.
        let (volume, _) = guarded(&memory, r#"{"profile": "open", "max_file_size": 5}"#);
        assert_eq!(volume.open_file(&root, &temporary, Access::Read).map(drop), Ok(()));
        assert_eq!(names_in(&volume), [&temporary[..], "a.md", "x"]);
        assert!(!is_temporary(".fsgate-x") && !is_temporary(&format!("{temporary}0")));
    }

    #[test]
    fn in_a_state_directory_nothing_is_asked() {
        let (memory, state) = (Memory::default(), Memory::default());
        state.put("x", Item::File(b"content".to_vec()));
        let (_, state) = (memory, Guarded::unasked(state));
        assert!(state.standpoint(&state.root()).is_none());
        assert_eq!(state.rename(&state.root(), "x", &state.root(), "y"), Ok(()));
    }
}
