//! WASI's preopens as volumes: the only caller of `wasi:filesystem`.
//!
//! Every path for the host is one name, and links are never followed. Directories open without the
//! flag `mutate-directory`, which some hosts do not know, except in
//! [`Volume::open_directory_to_empty`]. On other targets than WebAssembly this crate is empty.

#![cfg(target_family = "wasm")]

use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use fsgate_contract::agent_types::{CallArgs, CallError, CallOutcome};
use fsgate_contract::limits::UNTOLD_ENTRIES;
use fsgate_contract::types::SpecialKind;
use fsgate_engine::agent;
use fsgate_engine::session::Session;
use fsgate_volume::grant::Grant;
use fsgate_volume::{Abilities, Access, Fault, Kind, LIKENESS, Listed, Stat, Volume, single};
use wasip2::cli::environment;
use wasip2::clocks::{monotonic_clock, wall_clock};
use wasip2::filesystem::preopens;
use wasip2::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorStat, DescriptorType, ErrorCode, MetadataHashValue, OpenFlags,
    PathFlags,
};
use wasip2::random::random::get_random_u64;

/// A preopened directory. Without `CHANGES` the compiler leaves out every changing call, and the
/// component does not import it.
pub struct Preopen<const CHANGES: bool = true> {
    root: Rc<Descriptor>,
    abilities: Abilities,
    /// The host's directory for the next file's likeness.
    likeness: Option<Rc<Descriptor>>,
}

/// Defines the module `bindings` of a world, with the contract's types. Every world's types are
/// here; others follow the world's name.
#[macro_export]
macro_rules! bindings {
    ($path:tt, $world:tt $(, $types:tt: $module:ident)*) => {
        mod bindings {
            wit_bindgen::generate!({
                path: $path,
                world: $world,
                with: {
                    "fsgate:tools/types@0.1.0": fsgate_contract::types,
                    "fsgate:tools/read-types@0.1.0": fsgate_contract::read_types,
                    "fsgate:tools/search-types@0.1.0": fsgate_contract::search_types,
                    $($types: fsgate_contract::$module,)*
                },
            });
        }
    };
}

/// Defines the function `session` over this instance's preopens, which never change.
#[macro_export]
macro_rules! session {
    ($volume:ty, $open:expr) => {
        pub(crate) fn session<T>(call: impl FnOnce(&fsgate_engine::session::Session<$volume>) -> T) -> T {
            thread_local! {
                static SESSION: std::cell::OnceCell<fsgate_engine::session::Session<$volume>> =
                    const { std::cell::OnceCell::new() };
            }
            SESSION.with(|cell| call(cell.get_or_init($open)))
        }
    };
}

/// Exports operations of an interface. `Component`, `session` and `bindings` are at the component's
/// root.
#[macro_export]
#[expect(clippy::crate_in_macro_def, reason = "the component has the trait and the type")]
macro_rules! export_operations {
    ($interface:ident; $($function:ident $operation:ident $types:ident::$args:ident)*) => {
        impl crate::bindings::exports::fsgate::tools::$interface::Guest for crate::Component {
            $(fn $function(
                args: fsgate_contract::$types::$args,
            ) -> Result<
                <fsgate_contract::$types::$args as fsgate_contract::Arguments>::Outcome,
                fsgate_contract::types::Error,
            > {
                crate::session(|session| fsgate_contract::Operations::$operation(session, &args))
            })*
        }
    };
}

/// A session with the environment's settings.
pub fn open<const CHANGES: bool>() -> Session<Preopen<CHANGES>> {
    let variables = environment::get_environment();
    Session::open_or_refuse(grants(), variables.iter().map(|(name, value)| (&name[..], &value[..])))
}

/// Calls an operation by name. The tools' code is generated here, and the components share it.
pub fn call(session: &Session<Preopen>, args: &CallArgs) -> Result<CallOutcome, CallError> {
    agent::call(session, args)
}

/// All directories of the host.
pub fn grants<const CHANGES: bool>() -> Vec<Grant<Preopen<CHANGES>>> {
    let (likeness, directories): (Vec<_>, Vec<_>) =
        preopens::get_directories().into_iter().partition(|(_, name)| name == LIKENESS);
    let likeness = likeness.into_iter().next().map(|(descriptor, _)| Rc::new(descriptor));
    directories.into_iter().map(|(descriptor, name)| grant(descriptor, name, likeness.clone())).collect()
}

fn grant<const CHANGES: bool>(
    descriptor: Descriptor,
    name: String,
    likeness: Option<Rc<Descriptor>>,
) -> Grant<Preopen<CHANGES>> {
    let flags = descriptor.get_flags().unwrap_or(DescriptorFlags::empty());
    // The host refuses writing without a grant. A host without flags makes no difference.
    let is_to_read = !CHANGES || flags == DescriptorFlags::READ;
    let access = if is_to_read { Access::Read } else { Access::Write };
    // Some hosts cannot stat or list a preopen, only an opened directory.
    let root = descriptor
        .open_at(PathFlags::empty(), ".", OpenFlags::DIRECTORY, DescriptorFlags::READ)
        .unwrap_or(descriptor);
    // On success the host splits names at backslashes.
    let backslash_separates = root.stat_at(PathFlags::empty(), ".\\.").is_ok();
    let abilities = Abilities {
        backslash_separates,
        links: true,
        moves_across: true,
        sync: true,
        // A host without flags reopens paths.
        stable_identity: !flags.is_empty(),
        keeps_modes: likeness.is_some(),
    };
    Grant { name, volume: Preopen { root: Rc::new(root), abilities, likeness }, access }
}

impl<const CHANGES: bool> Preopen<CHANGES> {
    /// Refuses changes without `CHANGES`.
    fn changing() -> Result<(), Fault> {
        if CHANGES { Ok(()) } else { Err(Fault::ReadOnly) }
    }

    /// Sets the likeness for the next call.
    fn liken(&self, source: &Descriptor) -> Result<(), Fault> {
        let likeness = self.likeness.as_deref().ok_or(Fault::Unsupported)?;
        // Only fsgate's own host knows this call.
        source.link_at(PathFlags::empty(), ".", likeness, ".").map_err(|_| Fault::Unsupported)
    }
}

impl<const CHANGES: bool> Volume for Preopen<CHANGES> {
    type Directory = Rc<Descriptor>;
    type File = Descriptor;

    fn root(&self) -> Rc<Descriptor> {
        self.root.clone()
    }

    fn stat(&self, directory: &Rc<Descriptor>, name: &str) -> Result<Stat, Fault> {
        single(name)?;
        directory.stat_at(PathFlags::empty(), name).map(stat).map_err(named)
    }

    fn each_entry(
        &self,
        directory: &Rc<Descriptor>,
        sink: &mut dyn FnMut(Listed<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let entries = directory.read_directory().map_err(fault)?;
        let (mut untold, mut hidden) = (0, None);
        loop {
            let told = match entries.read_directory_entry() {
                Ok(None) => return hidden.map_or(Ok(()), Err),
                Ok(Some(entry)) => {
                    untold = 0;
                    if matches!(entry.name.as_str(), "." | "..") {
                        continue;
                    }
                    let kind = match entry.type_ {
                        // The file system stores no kind with the name.
                        DescriptorType::Unknown => self.stat(directory, &entry.name).map(|stat| stat.kind),
                        known => Ok(kind(known)),
                    };
                    kind.map(|kind| sink(Listed::Name(&entry.name, kind)))
                }
                Err(error) => {
                    untold += 1;
                    if untold == UNTOLD_ENTRIES {
                        return Err(fault(error));
                    }
                    match error {
                        ErrorCode::IllegalByteSequence => Ok(sink(Listed::Undecodable)),
                        error => Err(fault(error)),
                    }
                }
            };
            match told {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => return Ok(()),
                // Removed meanwhile.
                Err(Fault::NotFound) => {}
                Err(fault) => hidden = hidden.or(Some(fault)),
            }
        }
    }

    fn open_directory(&self, directory: &Rc<Descriptor>, name: &str) -> Result<Rc<Descriptor>, Fault> {
        single(name)?;
        directory
            .open_at(PathFlags::empty(), name, OpenFlags::DIRECTORY, DescriptorFlags::READ)
            .map(Rc::new)
            .map_err(named)
    }

    fn open_file(&self, directory: &Rc<Descriptor>, name: &str, access: Access) -> Result<Descriptor, Fault> {
        single(name)?;
        let flags = match access {
            Access::Read => DescriptorFlags::READ,
            Access::Write => {
                Self::changing()?;
                DescriptorFlags::READ | DescriptorFlags::WRITE
            }
        };
        let file = directory.open_at(PathFlags::empty(), name, OpenFlags::empty(), flags).map_err(named)?;
        // A host opens a directory like a file.
        match file.get_type().map_err(fault)? {
            // An unknown kind counts as the expected one.
            DescriptorType::RegularFile | DescriptorType::Unknown => Ok(file),
            DescriptorType::Directory => Err(Fault::IsDirectory),
            DescriptorType::SymbolicLink => Err(Fault::Loop),
            _ => Err(Fault::NotPermitted),
        }
    }

    fn open_directory_to_empty(
        &self,
        directory: &Rc<Descriptor>,
        name: &str,
    ) -> Result<Rc<Descriptor>, Fault> {
        single(name)?;
        let flags = DescriptorFlags::READ | DescriptorFlags::MUTATE_DIRECTORY;
        match directory.open_at(PathFlags::empty(), name, OpenFlags::DIRECTORY, flags) {
            Ok(opened) => Ok(Rc::new(opened)),
            Err(ErrorCode::Access) => Err(Fault::Access),
            // A host refuses an unknown flag in its own way.
            Err(_) => self.open_directory(directory, name),
        }
    }

    fn create_file(&self, directory: &Rc<Descriptor>, name: &str) -> Result<Descriptor, Fault> {
        Self::changing()?;
        single(name)?;
        let flags = DescriptorFlags::READ | DescriptorFlags::WRITE;
        directory
            .open_at(PathFlags::empty(), name, OpenFlags::CREATE | OpenFlags::EXCLUSIVE, flags)
            .map_err(named)
    }

    fn create_like(
        &self,
        directory: &Rc<Descriptor>,
        name: &str,
        source: &Descriptor,
    ) -> Result<Descriptor, Fault> {
        Self::changing()?;
        single(name)?;
        self.liken(source)?;
        self.create_file(directory, name)
    }

    fn create_directory(&self, directory: &Rc<Descriptor>, name: &str) -> Result<(), Fault> {
        Self::changing()?;
        single(name)?;
        directory.create_directory_at(name).map_err(named)
    }

    fn create_directory_like(
        &self,
        directory: &Rc<Descriptor>,
        name: &str,
        source: &Rc<Descriptor>,
    ) -> Result<(), Fault> {
        Self::changing()?;
        single(name)?;
        self.liken(source)?;
        self.create_directory(directory, name)
    }

    fn read_link(&self, directory: &Rc<Descriptor>, name: &str) -> Result<String, Fault> {
        single(name)?;
        directory.readlink_at(name).map_err(|error| match error {
            ErrorCode::Invalid => Fault::Unsupported,
            error => named(error),
        })
    }

    fn link_file(
        &self,
        from: &Rc<Descriptor>,
        name: &str,
        to: &Rc<Descriptor>,
        new_name: &str,
    ) -> Result<(), Fault> {
        Self::changing()?;
        single(name)?;
        single(new_name)?;
        from.link_at(PathFlags::empty(), name, to, new_name).map_err(named)
    }

    fn rename(
        &self,
        from: &Rc<Descriptor>,
        name: &str,
        to: &Rc<Descriptor>,
        new_name: &str,
    ) -> Result<(), Fault> {
        Self::changing()?;
        single(name)?;
        single(new_name)?;
        from.rename_at(name, to, new_name).map_err(|error| match error {
            ErrorCode::Invalid => Fault::IntoItself,
            error => named(error),
        })
    }

    fn remove_file(&self, directory: &Rc<Descriptor>, name: &str) -> Result<(), Fault> {
        Self::changing()?;
        single(name)?;
        directory.unlink_file_at(name).map_err(named)
    }

    fn remove_directory(&self, directory: &Rc<Descriptor>, name: &str) -> Result<(), Fault> {
        Self::changing()?;
        single(name)?;
        directory.remove_directory_at(name).map_err(named)
    }

    fn stat_directory(&self, directory: &Rc<Descriptor>) -> Result<Stat, Fault> {
        directory.stat().map(stat).map_err(fault)
    }

    fn stat_file(&self, file: &Descriptor) -> Result<Stat, Fault> {
        file.stat().map(stat).map_err(fault)
    }

    fn read_at(&self, file: &Descriptor, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        file.read(length as u64, offset).map(|(bytes, _)| bytes).map_err(fault)
    }

    fn write_at(&self, file: &Descriptor, offset: u64, bytes: &[u8]) -> Result<usize, Fault> {
        Self::changing()?;
        file.write(bytes, offset).map(|written| written as usize).map_err(fault)
    }

    fn set_size(&self, file: &Descriptor, size: u64) -> Result<(), Fault> {
        Self::changing()?;
        file.set_size(size).map_err(fault)
    }

    fn sync_file(&self, file: &Descriptor) -> Result<(), Fault> {
        Self::changing()?;
        file.sync().map_err(fault)
    }

    fn sync_directory(&self, directory: &Rc<Descriptor>) -> Result<(), Fault> {
        Self::changing()?;
        directory.sync().map_err(fault)
    }

    fn identity(&self, file: &Descriptor) -> Result<u128, Fault> {
        file.metadata_hash().map(identity).map_err(fault)
    }

    fn identity_at(&self, directory: &Rc<Descriptor>, name: &str) -> Result<u128, Fault> {
        single(name)?;
        directory.metadata_hash_at(PathFlags::empty(), name).map(identity).map_err(named)
    }

    fn directory_identity(&self, directory: &Rc<Descriptor>) -> Result<u128, Fault> {
        directory.metadata_hash().map(identity).map_err(fault)
    }

    fn random(&self) -> u128 {
        u128::from(get_random_u64()) << 64 | u128::from(get_random_u64())
    }

    fn now(&self) -> Duration {
        Duration::from_nanos(monotonic_clock::now())
    }

    fn wall(&self) -> Duration {
        let time = wall_clock::now();
        Duration::new(time.seconds, time.nanoseconds.min(999_999_999))
    }

    fn pause(&self, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        monotonic_clock::subscribe_duration(nanoseconds).block();
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }
}

fn stat(stat: DescriptorStat) -> Stat {
    let modified = stat
        .data_modification_timestamp
        .map(|time| Duration::new(time.seconds, time.nanoseconds.min(999_999_999)));
    // A host without a count returns 0.
    Stat { kind: kind(stat.type_), size: stat.size, modified, links: stat.link_count.max(1) }
}

fn identity(hash: MetadataHashValue) -> u128 {
    u128::from(hash.upper) << 64 | u128::from(hash.lower)
}

fn kind(type_: DescriptorType) -> Kind {
    match type_ {
        DescriptorType::RegularFile => Kind::File,
        DescriptorType::Directory => Kind::Directory,
        DescriptorType::SymbolicLink => Kind::Link,
        DescriptorType::BlockDevice => Kind::Special(SpecialKind::BlockDevice),
        DescriptorType::CharacterDevice => Kind::Special(SpecialKind::CharacterDevice),
        DescriptorType::Fifo | DescriptorType::Socket | DescriptorType::Unknown => {
            Kind::Special(SpecialKind::Other)
        }
    }
}

/// The fault of a call with a name: an invalid argument is an invalid name.
fn named(code: ErrorCode) -> Fault {
    match code {
        ErrorCode::Invalid => Fault::InvalidName,
        code => fault(code),
    }
}

fn fault(code: ErrorCode) -> Fault {
    match code {
        ErrorCode::NoEntry => Fault::NotFound,
        ErrorCode::Exist => Fault::Exists,
        ErrorCode::IsDirectory => Fault::IsDirectory,
        ErrorCode::NotDirectory => Fault::NotDirectory,
        ErrorCode::NotEmpty => Fault::NotEmpty,
        ErrorCode::Loop => Fault::Loop,
        ErrorCode::NotPermitted => Fault::NotPermitted,
        ErrorCode::Access => Fault::Access,
        ErrorCode::ReadOnly => Fault::ReadOnly,
        ErrorCode::InsufficientSpace => Fault::NoSpace,
        ErrorCode::Quota => Fault::Quota,
        ErrorCode::FileTooLarge => Fault::FileTooLarge,
        ErrorCode::NameTooLong => Fault::NameTooLong,
        ErrorCode::Busy | ErrorCode::TextFileBusy => Fault::Busy,
        ErrorCode::CrossDevice => Fault::CrossDevice,
        ErrorCode::IllegalByteSequence => Fault::InvalidName,
        ErrorCode::Unsupported | ErrorCode::TooManyLinks => Fault::Unsupported,
        code => Fault::Io(code.message().to_owned()),
    }
}
