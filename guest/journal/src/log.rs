//! The log: files with several records each.
//!
//! To create a file costs a file system many times an append. A file is named after the id of its
//! first record, so names sort like records. `control` names the file that is written and the end
//! of the committed records; later bytes are in progress or never took effect. A finished file ends
//! with its last record. A file is rewritten only to remove or insert records.

use std::rc::Rc;

use super::Id;
use super::file::{Check, HEAD, HEAD_AND_HEADER, Head, Stored, open_regular};
use super::trash::discard;
use crate::state::State;
use crate::state::control::Control;
use crate::state::reading::{LogPage, Span};
use fsgate_contract::limits::{CHUNK_BYTES, LOG_FILE_BYTES, LOG_FILES_KEPT};
use fsgate_volume::answers::existing;
use fsgate_volume::bytes::{read_all, sync_content, sync_names, write_all};
use fsgate_volume::{Access, Fault, Volume};

type LocatedSpan<V> = (Rc<LogPage<V>>, Span);

pub(super) type RecordPiece<'a, V> = (&'a Rc<<V as Volume>::File>, Span);

impl<V: Volume> State<V> {
    /// The names of all files, the oldest first.
    pub fn files(&self) -> Result<Rc<Vec<Id>>, Fault> {
        if let Some(names) = &self.reading().names {
            return Ok(names.clone());
        }
        let mut names = self.ids(&self.log)?;
        if let Some(current) = self.now().file {
            // A crash has left a newer, empty file.
            names.retain(|name| *name <= current);
        }
        let names = Rc::new(names);
        self.reading().names = Some(names.clone());
        Ok(names)
    }

    /// The committed records of a file; none if the file is gone.
    pub fn page(&self, name: Id) -> Result<Option<Rc<LogPage<V>>>, Fault> {
        let kept = self.reading().pages.iter().position(|page| page.name == name);
        if let Some(number) = kept {
            let mut reading = self.reading();
            reading.pages[..=number].rotate_right(1);
            return Ok(reading.pages.first().cloned());
        }
        let page = existing(self.look_into(name))?.flatten().map(Rc::new);
        if let Some(page) = &page {
            let mut reading = self.reading();
            reading.pages.insert(0, page.clone());
            reading.pages.truncate(LOG_FILES_KEPT);
        }
        Ok(page)
    }

    fn look_into(&self, name: Id) -> Result<Option<LogPage<V>>, Fault> {
        let file = open_regular(&self.volume, &self.log, &name.to_string(), Access::Read)?;
        let Some(file) = file else { return Ok(None) };
        let mut end = self.volume.stat_file(&file)?.size;
        let now = self.now();
        if now.file == Some(name) {
            end = end.min(now.end);
        }
        let spans = self.spans(&file, name, end)?;
        Ok(Some(LogPage { name, file, spans }))
    }

    fn spans(&self, file: &Rc<V::File>, name: Id, to: u64) -> Result<Vec<Span>, Fault> {
        let (mut spans, mut at, mut mended) = (Vec::<Span>::new(), 0, None);
        let (mut chunk, mut chunk_at) = (Vec::new(), 0);
        while at < to {
            let known = |chunk: &[u8], chunk_at| {
                let from = usize::try_from(at - chunk_at).ok()?;
                Head::parse(chunk.get(from..from + HEAD)?)
            };
            let head = known(&chunk, chunk_at);
            let head = if head.is_some() {
                head
            } else {
                chunk_at = at;
                chunk = read_all(&self.volume, file, at, (to - at).min(CHUNK_BYTES as u64) as usize)?;
                known(&chunk, chunk_at)
            };
            let within = |head: Head| Some(Span { id: head.id, at, end: head.end(at)? });
            if let Some(span) = head.and_then(within).filter(|span| span.end <= to) {
                spans.push(span);
                at = span.end;
                continue;
            }
            // This head is damaged, or the one before gives a wrong length. Later records are still
            // found.
            let last = spans.last().copied().filter(|last| mended != Some(last.at));
            let span = match (self.mended(file, at, to)?, last) {
                (Some(span), _) => span,
                (None, Some(last)) => {
                    match self.mended(file, last.at, to)?.filter(|span| span.end != last.end) {
                        Some(span) => {
                            spans.pop();
                            span
                        }
                        None => break,
                    }
                }
                (None, None) => break,
            };
            spans.push(span);
            mended = Some(span.at);
            (at, chunk_at) = (span.end, span.end);
            chunk.clear();
        }
        // Ids are in order unless another program has written them or one is damaged.
        for number in 0..spans.len() {
            let before = number.checked_sub(1);
            let is_behind =
                before.map_or(name <= spans[number].id, |before| spans[before].id < spans[number].id);
            let is_last = number + 1 == spans.len();
            let (doubted, doubts) = (before.filter(|_| !is_behind), !is_behind || is_last);
            for doubted in doubted.into_iter().chain(doubts.then_some(number)) {
                let at = spans[doubted].at;
                if Stored::read_at(&self.volume, file, at, to, Check::Header)?.is_none()
                    && let Some(span) = self.mended(file, at, to)?
                {
                    spans[doubted].id = span.id;
                }
            }
        }
        spans.sort_by_key(|span| span.id);
        spans.dedup_by_key(|span| span.id);
        Ok(spans)
    }

    fn mended(&self, file: &Rc<V::File>, at: u64, to: u64) -> Result<Option<Span>, Fault> {
        let begin = read_all(&self.volume, file, at, (to - at).min(HEAD_AND_HEADER as u64) as usize)?;
        let span = Head::mended(&begin).and_then(|head| Some(Span { id: head.id, at, end: head.end(at)? }));
        Ok(span.filter(|span| span.end <= to))
    }

    /// A committed record; none if it is gone or damaged.
    pub fn done(&self, id: Id, check: Check) -> Result<Option<Stored<V>>, Fault> {
        let Some((page, span)) = self.find(id)? else { return Ok(None) };
        Stored::read_at(&self.volume, &page.file, span.at, span.end, check)
    }

    /// True if a record is committed.
    pub fn is_done(&self, id: Id) -> Result<bool, Fault> {
        Ok(self.find(id)?.is_some())
    }

    fn find(&self, id: Id) -> Result<Option<LocatedSpan<V>>, Fault> {
        let Some(page) = self.page_of(id)? else { return Ok(None) };
        let found = page.spans.binary_search_by_key(&id, |span| span.id).ok().map(|index| page.spans[index]);
        Ok(found.map(|span| (page, span)))
    }

    fn page_of(&self, id: Id) -> Result<Option<Rc<LogPage<V>>>, Fault> {
        let files = self.files()?;
        match files.partition_point(|name| *name <= id).checked_sub(1) {
            Some(index) => self.page(files[index]),
            None => Ok(None),
        }
    }

    /// The records of the change in progress: those after the committed ones.
    pub fn under_way(&self) -> Result<Vec<Stored<V>>, Fault> {
        let now = self.now();
        let (Some(owner), Some(name)) = (now.begun, now.file) else { return Ok(Vec::new()) };
        let file = existing(open_regular(&self.volume, &self.log, &name.to_string(), Access::Read))?;
        let Some(file) = file.flatten() else { return Ok(Vec::new()) };
        let size = self.volume.stat_file(&file)?.size;
        let (mut records, mut at) = (Vec::new(), now.end);
        while let Some(stored) = Stored::read_at(&self.volume, &file, at, size, Check::UnderWay)? {
            let record = &stored.record;
            // Old or stray bytes cannot name the change in progress.
            if record.id != owner && record.group.is_none_or(|group| group.id != owner) {
                break;
            }
            at = stored.end_of_all();
            records.push(stored);
        }
        Ok(records)
    }

    /// The file for the next change: the current one, or a new one named `id`. No change may be in
    /// progress.
    pub(crate) fn open_for(&self, id: Id, body: u64) -> Result<Rc<V::File>, Fault> {
        let now = self.now();
        if let Some(name) = now.file
            && now.end.saturating_add(body) <= LOG_FILE_BYTES
        {
            match self.named(name) {
                // Another program has removed it.
                Err(Fault::NotFound) => {}
                // A record after a damaged one would not be found again.
                Ok(_) if !self.is_whole(name)? => {}
                file => return file,
            }
        }
        self.close(Some(id))?;
        let name = id.to_string();
        let file = Rc::new(self.volume.create_file(&self.log, &name)?);
        sync_names(&self.volume, &self.log, self.syncs())?;
        self.set(Control { file: Some(id), end: 0, ..self.now() })?;
        self.reading().current = Some((id, file.clone()));
        Ok(file)
    }

    /// The current file, if it still has its name: an open handle writes to a removed file too.
    fn named(&self, name: Id) -> Result<Rc<V::File>, Fault> {
        self.volume.stat(&self.log, &name.to_string())?;
        self.current(name)
    }

    /// True if all committed records of the current file are readable. Checked once, because only
    /// this process writes to it.
    fn is_whole(&self, name: Id) -> Result<bool, Fault> {
        if self.reading().whole != Some(name) {
            let page = self.page(name)?;
            let end = page.iter().flat_map(|page| &page.spans).map(|span| span.end).max().unwrap_or(0);
            if end != self.now().end {
                return Ok(false);
            }
            self.reading().whole = Some(name);
        }
        Ok(true)
    }

    /// The file that is written to.
    pub fn current(&self, name: Id) -> Result<Rc<V::File>, Fault> {
        if let Some((known, file)) = &self.reading().current
            && *known == name
        {
            return Ok(file.clone());
        }
        let file = open_regular(&self.volume, &self.log, &name.to_string(), Access::Write)?;
        let file = file.ok_or(Fault::NotFound)?;
        // Its creator may not have synced the directory.
        sync_names(&self.volume, &self.log, self.syncs())?;
        self.reading().current = Some((name, file.clone()));
        Ok(file)
    }

    /// Ends the current file at its committed records. No later record may sort before the next
    /// file, even after the clock was set back and that file stayed empty.
    fn close(&self, next: Option<Id>) -> Result<(), Fault> {
        let now = self.now();
        match now.file.map(|name| self.current(name)) {
            Some(Ok(file)) => {
                if self.volume.stat_file(&file)?.size > now.end {
                    self.volume.set_size(&file, now.end)?;
                    sync_content(&self.volume, &file, self.syncs())?;
                }
            }
            None if next.is_none() => return Ok(()),
            None | Some(Err(Fault::NotFound)) => {}
            Some(Err(fault)) => return Err(fault),
        }
        let last = next.map_or(now.last, |next| next.max(now.last));
        self.set(Control { file: None, end: 0, last, ..now })?;
        self.reading().current = None;
        Ok(())
    }

    /// Removes the bytes of the change in progress from an offset on.
    pub fn cut_off(&self, at: u64) -> Result<(), Fault> {
        let Some(name) = self.now().file else { return Ok(()) };
        let file = self.current(name)?;
        self.volume.set_size(&file, at)?;
        if self.syncs() { self.volume.sync_file(&file) } else { Ok(()) }
    }

    /// Gives a record a file of its own in another directory, and replaces one that exists.
    pub fn set_aside(&self, stored: &Stored<V>, to: &V::Directory) -> Result<(), Fault> {
        let name = stored.record.id.to_string();
        discard(&self.volume, &self.tmp, &name)?;
        let file = Rc::new(self.volume.create_file(&self.tmp, &name)?);
        self.copy(&stored.file, stored.at..stored.end_of_all(), &file, 0)?;
        discard(&self.volume, to, &name)?;
        self.bring(file, &name, to)
    }

    /// Takes an uncommitted record out of the log, into a file of its own in another directory. A
    /// large record has its own file of the log, which moves: that needs no room on the disk.
    pub fn take_aside(&self, stored: &Stored<V>, to: &V::Directory) -> Result<(), Fault> {
        let id = stored.record.id;
        let is_alone = stored.at == 0 && self.now().end == 0 && self.now().file == Some(id);
        if !is_alone {
            self.set_aside(stored, to)?;
            return self.cut_off(stored.at);
        }
        let (file, name) = (self.current(id)?, id.to_string());
        // A file of its own ends with its record.
        self.volume.set_size(&file, stored.end_of_all())?;
        sync_content(&self.volume, &file, self.syncs())?;
        discard(&self.volume, to, &name)?;
        self.volume.rename(&self.log, &name, to, &name)?;
        sync_names(&self.volume, to, self.syncs())?;
        sync_names(&self.volume, &self.log, self.syncs())?;
        self.reading().current = None;
        self.set(Control { file: None, ..self.now() })
    }

    /// Inserts a record among the committed ones, by its id.
    pub fn insert(&self, stored: &Stored<V>) -> Result<(), Fault> {
        let id = stored.record.id;
        let page = self.page_of(id)?;
        let name = page.as_ref().map_or(id, |page| page.name);
        let spans = page.as_ref().map_or(&[][..], |page| &page.spans);
        let before = spans.partition_point(|span| span.id < id);
        let mut pieces: Vec<_> =
            page.iter().flat_map(|page| page.spans.iter().map(|span| (&page.file, *span))).collect();
        pieces.insert(before, (&stored.file, Span { id, at: stored.at, end: stored.end() }));
        self.rewrite(name, pieces)
    }

    /// Runs a step that the next call has to check after a crash.
    pub(super) fn unsettled(&self, does: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
        let before = self.now().unsettled;
        if !before {
            self.set(Control { unsettled: true, ..self.now() })?;
        }
        does()?;
        // A new turn in any case, which invalidates cached pages everywhere.
        self.set(Control { unsettled: before, ..self.now() })
    }

    /// Rewrites a file of the log with these records, atomically.
    pub(super) fn rewrite(&self, name: Id, pieces: Vec<RecordPiece<'_, V>>) -> Result<(), Fault> {
        if self.now().file == Some(name) {
            // An open handle would write to a removed file.
            self.close(None)?;
        }
        let text = name.to_string();
        if pieces.is_empty() {
            self.volume.remove_file(&self.log, &text)?;
            // Invalidates cached pages everywhere.
            self.set(self.now())?;
            return sync_names(&self.volume, &self.log, self.syncs());
        }
        self.unsettled(|| {
            discard(&self.volume, &self.tmp, &text)?;
            let file = Rc::new(self.volume.create_file(&self.tmp, &text)?);
            let mut at = 0;
            for (from, span) in pieces {
                self.copy(from, span.at..span.end, &file, at)?;
                at += span.end - span.at;
            }
            self.bring(file, &text, &self.log)
        })
    }

    /// Moves a finished file out of `tmp/`. Both directories are synced, because a file system may
    /// write the two names independently.
    pub(super) fn bring(&self, file: Rc<V::File>, name: &str, to: &V::Directory) -> Result<(), Fault> {
        sync_content(&self.volume, &file, self.syncs())?;
        drop(file);
        self.volume.rename(&self.tmp, name, to, name)?;
        sync_names(&self.volume, to, self.syncs())?;
        sync_names(&self.volume, &self.tmp, self.syncs())
    }

    fn copy(
        &self,
        from: &V::File,
        range: std::ops::Range<u64>,
        to: &V::File,
        mut at: u64,
    ) -> Result<(), Fault> {
        let mut offset = range.start;
        while offset < range.end {
            let wanted = (range.end - offset).min(CHUNK_BYTES as u64) as usize;
            let chunk = self.volume.read_at(from, offset, wanted)?;
            if chunk.is_empty() {
                return Err(Fault::Io("a record lacks bytes".to_owned()));
            }
            write_all(&self.volume, to, at, &chunk).map_err(|(fault, _)| fault)?;
            offset += chunk.len() as u64;
            at += chunk.len() as u64;
        }
        Ok(())
    }
}
