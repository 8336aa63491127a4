//! What a tool sees: files to read and places to plan changes for. Nothing in here writes.

use std::ops::{ControlFlow, Range};
use std::time::{Duration, UNIX_EPOCH};

use crate::error::{Failure, PathProblem, Reason};
use crate::limits::CHUNK_BYTES;
use crate::namespace::Namespace;
use crate::resolve::{LastLink, Place, Target, resolve};
use crate::volume::{Access, Fault, Kind, Stat, Volume};

/// The granted directories, for looking.
pub struct View<'a, V: Volume> {
    namespace: &'a Namespace<V>,
}

/// An existing regular file, open for reading.
pub struct Source<'a, V: Volume> {
    place: Place<V>,
    volume: &'a V,
    file: V::File,
    stat: Stat,
    /// Its first bytes, read when it was opened: small files are read once, however often they are looked at.
    head: Vec<u8>,
}

impl<'a, V: Volume> View<'a, V> {
    /// A view of these grants.
    pub fn new(namespace: &'a Namespace<V>) -> Self {
        Self { namespace }
    }

    /// Opens an existing regular file.
    pub fn open(&self, path: &str) -> Result<Source<'a, V>, Failure> {
        self.existing(path).and_then(|(place, stat)| self.source(place, stat))
    }

    /// Opens an existing regular file that is to be changed.
    pub fn open_for_change(&self, path: &str) -> Result<Source<'a, V>, Failure> {
        let (place, stat) = self.existing(path)?;
        self.require_write(&place)?;
        self.source(place, stat)
    }

    /// A place where nothing is yet. Without `parents`, its directory must be there.
    pub fn absent(&self, path: &str, parents: bool) -> Result<Place<V>, Failure> {
        match resolve(self.namespace, path, LastLink::Keep)? {
            Target::Virtual => Err(self.not_granted(path)),
            Target::Directory | Target::Entry(..) => Err(Reason::Exists.at(path)),
            Target::Absent(place) => {
                if place.directory_required() {
                    return Err(Reason::InvalidPath(PathProblem::NamesDirectory).at(path));
                }
                if !parents && !place.parents().is_empty() {
                    return Err(Reason::NotFound.at(path));
                }
                self.require_write(&place)?;
                Ok(place)
            }
        }
    }

    fn existing(&self, path: &str) -> Result<(Place<V>, Stat), Failure> {
        match resolve(self.namespace, path, LastLink::Follow)? {
            Target::Virtual => Err(self.not_granted(path)),
            Target::Directory => Err(Reason::IsDirectory.at(path)),
            Target::Absent(_) => Err(Reason::NotFound.at(path)),
            Target::Entry(place, stat) => Ok((place, stat)),
        }
    }

    fn not_granted(&self, path: &str) -> Failure {
        Reason::NotGranted(self.namespace.grant_names()).at(path)
    }

    fn source(&self, place: Place<V>, stat: Stat) -> Result<Source<'a, V>, Failure> {
        let regular = |stat: Stat| match stat.kind {
            Kind::File => Ok(stat),
            Kind::Directory => Err(Reason::IsDirectory.at(place.asked())),
            Kind::Link => Err(Reason::PathEscape.at(place.asked())),
            Kind::Special(kind) => Err(Reason::SpecialFile(kind).at(place.asked())),
        };
        // Before it is opened, because opening a FIFO waits for its writer; and after, because it may be another one.
        regular(stat)?;
        let volume = place.volume(self.namespace);
        let fault = |fault: Fault| fault.reading().at(place.asked());
        let file = volume.open_file(place.directory(), place.name(), Access::Read).map_err(fault)?;
        let stat = regular(volume.stat_file(&file).map_err(fault)?)?;
        let wanted = usize::try_from(stat.size).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
        let head = if wanted == 0 { Vec::new() } else { volume.read_at(&file, 0, wanted).map_err(fault)? };
        Ok(Source { place, volume, file, stat, head })
    }

    fn require_write(&self, place: &Place<V>) -> Result<(), Failure> {
        match place.access(self.namespace) {
            Access::Write => Ok(()),
            Access::Read => Err(Reason::ReadOnlyGrant.at(place.asked())),
        }
    }
}

impl<V: Volume> Source<'_, V> {
    /// The path as it was asked for, absolute.
    pub fn path(&self) -> &str {
        self.place.shown()
    }

    /// Size in bytes when it was opened.
    pub fn size(&self) -> u64 {
        self.stat.size
    }

    /// Last change of the content, RFC 3339.
    pub fn modified(&self) -> String {
        humantime::format_rfc3339(UNIX_EPOCH + self.stat.modified.min(LATEST)).to_string()
    }

    /// What it was when it was opened, to notice a change by somebody else.
    pub fn stat(&self) -> Stat {
        self.stat
    }

    /// Gives the bytes of a range to `sink`, chunk by chunk, until it breaks off or the file ends.
    pub fn each_chunk(
        &self,
        range: Range<u64>,
        mut sink: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        let mut offset = range.start;
        while offset < range.end {
            let wanted = usize::try_from(range.end - offset).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let known = usize::try_from(offset).ok().and_then(|offset| self.head.get(offset..));
            let read;
            let chunk = match known.filter(|known| !known.is_empty()) {
                Some(known) => &known[..wanted.min(known.len())],
                None => {
                    read = self
                        .volume
                        .read_at(&self.file, offset, wanted)
                        .map_err(|fault| self.refuse(fault.reading()))?;
                    &read[..]
                }
            };
            if chunk.is_empty() || sink(chunk).is_break() {
                break;
            }
            offset += chunk.len() as u64;
        }
        Ok(())
    }

    /// The bytes of a range; fewer at the end of the file.
    pub fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        self.each_chunk(range, |chunk| {
            bytes.extend_from_slice(chunk);
            ControlFlow::Continue(())
        })?;
        Ok(bytes)
    }

    /// Where the text begins: after the byte order mark, if there is one.
    pub fn text_start(&self) -> Result<u64, Failure> {
        let mark = BOM.len() as u64;
        Ok(if self.bytes(0..mark.min(self.size()))? == BOM { mark } else { 0 })
    }

    /// This reason, about this file.
    pub fn refuse(&self, reason: Reason) -> Failure {
        reason.at(self.place.asked())
    }

    /// The place of this file, for a change.
    pub fn into_place(self) -> Place<V> {
        self.place
    }
}

/// UTF-8's byte order mark.
const BOM: &[u8] = "\u{FEFF}".as_bytes();

/// The end of the year 9999: the last moment that RFC 3339 can write.
const LATEST: Duration = Duration::from_secs(253_402_300_799);
