//! Groups edits by file.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::request::{Form, Requested};
use crate::view::{FileIdentity, View};
use fsgate_error::{EditProblem, Failure};
use fsgate_volume::Volume;

struct Group<'a> {
    edits: Vec<Requested<'a>>,
    /// The names of the file after them.
    names: Vec<FileIdentity>,
}

#[derive(Clone, Default)]
struct Identities {
    from: Vec<FileIdentity>,
    to: Vec<FileIdentity>,
}

/// Groups the edits by file, in the order of their first ones.
pub(super) fn group_by_file<'a, V: Volume>(
    view: &View<V>,
    asked: &[Requested<'a>],
) -> Result<Vec<Vec<Requested<'a>>>, Failure> {
    let mut files: Vec<Group> = Vec::new();
    let mut known: HashMap<FileIdentity, usize> = HashMap::new();
    let mut looked_up: HashMap<(&str, bool), Vec<FileIdentity>> = HashMap::new();
    // A deleted link is no other edit's file, but may be its path.
    let own_names = asked.iter().any(|one| one.form.takes_name());
    for one in asked {
        let path = &one.edit.path[..];
        let key = (path, one.form.takes_name());
        if let Entry::Vacant(unknown) = looked_up.entry(key) {
            let mut identities = match one.form.takes_name() {
                true => Vec::new(),
                false => vec![view.file_identity(path).map_err(|failure| one.refused(failure))?],
            };
            if own_names {
                identities.extend(view.own_identities(path));
            }
            unknown.insert(identities);
        }
        let mut identities =
            Identities { from: looked_up.get(&key).cloned().unwrap_or_default(), to: Vec::new() };
        if let Form::Move(to, _) | Form::Copy(to, _) = one.form {
            identities.to.push(view.file_identity(to).map_err(|failure| one.refused(failure))?);
            if own_names {
                identities.to.extend(view.own_identities(to));
            }
        }
        let is_copy = matches!(one.form, Form::Copy(..));
        let own = if is_copy { &[][..] } else { &identities.from };
        let all = || own.iter().chain(&identities.to);
        let file = all().filter_map(|identity| known.get(identity)).min().copied();
        let file = match file {
            None => {
                files.push(Group { edits: vec![*one], names: Vec::new() });
                files.len() - 1
            }
            Some(file) => {
                let group = &mut files[file];
                let is_new = |identity: &FileIdentity| !known.contains_key(identity);
                let goes_on = identities.from.iter().any(|identity| group.names.contains(identity));
                if !(one.may_follow(&group.edits) && goes_on && identities.to.iter().all(is_new)) {
                    let first = group.edits[0].number;
                    return Err(one.refuse(EditProblem::SameFile(first)));
                }
                group.edits.push(one.following());
                file
            }
        };
        for identity in all() {
            known.entry(identity.clone()).or_insert(file);
        }
        files[file].names = if identities.to.is_empty() { identities.from } else { identities.to };
    }
    let files: Vec<_> = files.into_iter().map(|group| group.edits).collect();
    refuse_files_in_files(&files, &known)?;
    Ok(files)
}

fn refuse_files_in_files(
    files: &[Vec<Requested>],
    known: &HashMap<FileIdentity, usize>,
) -> Result<(), Failure> {
    let names: BTreeMap<_, _> = known
        .iter()
        .filter_map(|(identity, file)| match identity {
            FileIdentity::Name(directory, names) => Some(((*directory, names.clone()), *file)),
            FileIdentity::Object(_) => None,
        })
        .collect();
    for ((directory, name), file) in &names {
        let inside = (*directory, format!("{name}/"));
        if let Some(((other, below), inner)) = names.range(inside.clone()..).next()
            && *other == inside.0
            && below.starts_with(&inside.1)
        {
            let (first, second) = (files[*file.min(inner)][0], files[*file.max(inner)][0]);
            return Err(second.refuse(EditProblem::InsideFile(first.number)));
        }
    }
    Ok(())
}
