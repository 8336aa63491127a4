//! The functions of `wasi:filesystem`.

use wasmtime::component::{
    ComponentNamedList, Lift, Linker, LinkerInstance, Lower, Resource, ResourceType, WasmList,
};
use wasmtime::{AsContextMut, StoreContextMut};

use super::super::Holder;
use super::descriptor::{Call, Descriptor};
use super::listing::{self, Listing};
use super::refusal::{ErrorCode, Outcome, Refusal};
use super::{contents, names};

/// Defines `wasi:filesystem` for a component.
///
/// Leaves out `filesystem-error-code`: streams, and so their errors, do not exist here.
pub fn add_to_linker<T: Holder>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    let mut types = linker.instance("wasi:filesystem/types@0.2.12")?;
    types.resource("descriptor", ResourceType::host::<Descriptor>(), drop_held::<T, Descriptor>)?;
    types.resource("directory-entry-stream", ResourceType::host::<Listing>(), drop_held::<T, Listing>)?;
    let t = &mut types;
    define(t, "[method]descriptor.advise", contents::advise)?;
    define(t, "[method]descriptor.append-via-stream", contents::append_via_stream)?;
    define(t, "[method]descriptor.create-directory-at", names::create_directory_at)?;
    define(t, "[method]descriptor.get-flags", contents::get_flags)?;
    define(t, "[method]descriptor.get-type", contents::get_type)?;
    define(t, "[method]descriptor.link-at", names::link_at)?;
    define(t, "[method]descriptor.metadata-hash", contents::metadata_hash)?;
    define(t, "[method]descriptor.metadata-hash-at", names::metadata_hash_at)?;
    define(t, "[method]descriptor.open-at", names::open_at)?;
    define(t, "[method]descriptor.read", contents::read)?;
    define(t, "[method]descriptor.read-directory", listing::read_directory)?;
    define(t, "[method]descriptor.read-via-stream", contents::read_via_stream)?;
    define(t, "[method]descriptor.readlink-at", names::readlink_at)?;
    define(t, "[method]descriptor.remove-directory-at", names::remove_directory_at)?;
    define(t, "[method]descriptor.rename-at", names::rename_at)?;
    define(t, "[method]descriptor.set-size", contents::set_size)?;
    define(t, "[method]descriptor.set-times", contents::set_times)?;
    define(t, "[method]descriptor.set-times-at", names::set_times_at)?;
    define(t, "[method]descriptor.stat", contents::stat)?;
    define(t, "[method]descriptor.stat-at", names::stat_at)?;
    define(t, "[method]descriptor.symlink-at", names::symlink_at)?;
    define(t, "[method]descriptor.sync", contents::sync)?;
    define(t, "[method]descriptor.sync-data", contents::sync_data)?;
    define(t, "[method]descriptor.unlink-file-at", names::unlink_file_at)?;
    define(t, "[method]descriptor.write-via-stream", contents::write_via_stream)?;
    define(t, "[method]directory-entry-stream.read-directory-entry", listing::read_directory_entry)?;
    t.func_wrap("[method]descriptor.is-same-object", is_same_object::<T>)?;
    t.func_wrap("[method]descriptor.write", write::<T>)?;
    let mut preopens = linker.instance("wasi:filesystem/preopens@0.2.12")?;
    preopens.func_wrap("get-directories", get_directories::<T>)
}

fn define<T, P, R>(
    types: &mut LinkerInstance<'_, T>,
    name: &str,
    function: fn(&mut Call<'_>, P) -> Outcome<R>,
) -> wasmtime::Result<()>
where
    T: Holder,
    P: ComponentNamedList + Lift + 'static,
    R: Lower + 'static,
{
    types.func_wrap(name, move |mut store: StoreContextMut<'_, T>, parameters: P| {
        answer(with_call(&mut store, |call| function(call, parameters)))
    })
}

fn with_call<T: Holder, R>(
    store: &mut StoreContextMut<'_, T>,
    function: impl FnOnce(&mut Call<'_>) -> R,
) -> R {
    let (table, directories) = store.data_mut().files();
    let mut call = Call::begin(table, directories);
    let answer = function(&mut call);
    call.end();
    answer
}

fn answer<R>(outcome: Outcome<R>) -> wasmtime::Result<(Result<R, ErrorCode>,)> {
    match outcome {
        Ok(answer) => Ok((Ok(answer),)),
        Err(Refusal::Code(code)) => Ok((Err(code),)),
        Err(Refusal::Trap(error)) => Err(error.into()),
    }
}

/// Writes directly from the component's memory.
fn write<T: Holder>(
    mut store: StoreContextMut<'_, T>,
    (file, bytes, offset): (Resource<Descriptor>, WasmList<u8>, u64),
) -> wasmtime::Result<(Result<u64, ErrorCode>,)> {
    let file = with_call(&mut store, |call| contents::writable(call, &file));
    answer(
        file.and_then(|file| {
            contents::write(file.handle(), bytes.as_le_slice(store.as_context_mut()), offset)
        }),
    )
}

/// Files that cannot be compared count as different.
fn is_same_object<T: Holder>(
    mut store: StoreContextMut<'_, T>,
    (one, other): (Resource<Descriptor>, Resource<Descriptor>),
) -> wasmtime::Result<(bool,)> {
    match with_call(&mut store, |call| contents::is_same_object(call, &one, &other)) {
        Ok(same) => Ok((same,)),
        Err(Refusal::Code(_)) => Ok((false,)),
        Err(Refusal::Trap(error)) => Err(error.into()),
    }
}

type Named = (Resource<Descriptor>, String);

fn get_directories<T: Holder>(mut store: StoreContextMut<'_, T>, (): ()) -> wasmtime::Result<(Vec<Named>,)> {
    let handed_in = with_call(&mut store, |call| {
        let Call { table, directories, .. } = call;
        let hand_in =
            |(descriptor, name): &(Descriptor, String)| Ok((table.push(descriptor.clone())?, name.clone()));
        directories.preopens().map(hand_in).collect::<wasmtime::Result<_>>()
    });
    Ok((handed_in?,))
}

fn drop_held<T: Holder, R: Send + 'static>(
    mut store: StoreContextMut<'_, T>,
    rep: u32,
) -> wasmtime::Result<()> {
    with_call(&mut store, |call| call.table.delete(Resource::<R>::new_own(rep)))?;
    Ok(())
}
