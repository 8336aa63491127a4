//! `exists`: whether a path names something.

use crate::resolve::LastLink;
use crate::view::{PathObject, View, kind};
use fsgate_contract::read_types::{ExistsArgs, ExistsOutcome};
use fsgate_contract::types::Kind;
use fsgate_error::{Failure, Reason};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ExistsArgs) -> Result<ExistsOutcome, Failure> {
    let (path, kind) = match view.tell(&args.path, LastLink::Follow) {
        Ok(PathObject::Directory(directory)) => (directory.path().to_owned(), Some(Kind::Directory)),
        Ok(PathObject::Virtual(only)) => (only.path, Some(Kind::Directory)),
        Ok(PathObject::Named(place, stat)) => (place.shown().to_owned(), Some(kind(stat.kind))),
        Ok(PathObject::Nothing(path)) => (path, None),
        // Nothing is below a file, and `..` after a missing segment leads nowhere.
        Err(Failure {
            reason: Reason::NotDirectory | Reason::NotFound(_) | Reason::Dangling(_) | Reason::WildPath,
            ..
        }) => (view.absolute(&args.path), None),
        Err(failure) => return Err(failure),
    };
    Ok(ExistsOutcome { path, exists: kind.is_some(), kind, notes: Vec::new() })
}
