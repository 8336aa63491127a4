//! Edits, be they of a list or of a patch, put together by file.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use crate::edits::{Form, form};
use crate::view::{Subject, View};
use fsgate_contract::edit_types::{ApplyArgs, Edit};
use fsgate_error::{EditProblem, Failure, PatchPart, Reason};
use fsgate_text::patch::hunk::Hunk;
use fsgate_volume::Volume;

/// An edit of the list.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) edit: &'a Edit,
    pub(super) form: Form<'a>,
    /// Counted from 1.
    number: usize,
    /// The part of a patch that it is.
    part: Option<PatchPart>,
    /// Others of the same file come before it.
    follows: bool,
}

impl<'a> Asked<'a> {
    /// The edit with this number.
    pub(super) fn new(edit: &'a Edit, number: usize, args: &ApplyArgs) -> Result<Self, Failure> {
        let form = form(edit, args.exact_line_ends());
        let form = form.map_err(|reason| reason.at(&*edit.path).in_edit(number, false))?;
        Ok(Self { edit, form, number, part: None, follows: false })
    }

    /// The same of a part of a patch.
    pub(super) fn of_patch(edit: &'a Edit, form: Form<'a>, part: PatchPart) -> Self {
        Self { edit, form, number: part.number, part: Some(part), follows: false }
    }

    /// True if it may be about a file after these edits of the file. Texts may be replaced one after
    /// the other. The parts of a patch may also make a file and change it, change and then delete or
    /// move it, and delete it before another one of its name is made.
    fn may_follow(&self, before: &[Self]) -> bool {
        let is_patch = self.part.is_some();
        let is_made = before.iter().any(|one| !one.form.is_replacement());
        match before.last().map(|last| last.form) {
            None => true,
            Some(Form::Replace(_) | Form::Block(_) | Form::Hunks(_)) => match self.form {
                Form::DeleteLines(_) | Form::Move(..) => is_patch && !is_made,
                form => form.is_replacement(),
            },
            Some(Form::Create(_) | Form::Move(..) | Form::Copy(..)) => {
                is_patch && matches!(self.form, Form::Hunks(_))
            }
            Some(Form::Delete | Form::DeleteLines(_)) => is_patch && matches!(self.form, Form::Create(_)),
            Some(Form::Content(_)) => false,
        }
    }

    /// True if it changes nothing in a text.
    pub(super) fn keeps_text(&self) -> bool {
        match self.form {
            Form::Replace(_) | Form::Block(_) => false,
            _ => self.hunks().is_empty(),
        }
    }

    fn hunks(&self) -> &'a [Hunk<'a>] {
        match self.form {
            Form::Hunks(hunks) | Form::DeleteLines(hunks) | Form::Move(_, hunks) | Form::Copy(_, hunks) => {
                hunks
            }
            _ => &[],
        }
    }

    /// A reason to refuse it.
    pub(super) fn refuse(&self, reason: Reason) -> Failure {
        self.refused(reason.at(&*self.edit.path))
    }

    /// The same of a failure that is known already.
    pub(super) fn refused(&self, failure: Failure) -> Failure {
        match self.part {
            Some(part) => failure.in_patch(part, self.follows, None),
            None => failure.in_edit(self.number, self.follows),
        }
    }

    /// The same of one of its hunks, counted from 0.
    pub(super) fn refuse_in(&self, hunk: Option<usize>, reason: Reason) -> Failure {
        let failure = reason.at(&*self.edit.path);
        let told = hunk.and_then(|index| Some((index + 1, self.hunks().get(index)?.line)));
        match self.part {
            Some(part) => failure.in_patch(part, self.follows, told),
            None => self.refused(failure),
        }
    }
}

/// The edits of one file, while more of them come.
struct Group<'a> {
    edits: Vec<Asked<'a>>,
    /// The names of the file after these edits.
    names: Vec<Subject>,
}

/// The files that an edit is about.
#[derive(Clone, Default)]
struct Subjects {
    /// The names of the file that it changes or reads.
    from: Vec<Subject>,
    /// The names of the file that it makes of that one.
    to: Vec<Subject>,
}

/// The edits of each file, in the order of their first ones.
pub(super) fn by_file<'a, V: Volume>(
    view: &View<V>,
    asked: &[Asked<'a>],
) -> Result<Vec<Vec<Asked<'a>>>, Failure> {
    let mut files: Vec<Group> = Vec::new();
    let mut known: HashMap<Subject, usize> = HashMap::new();
    let mut looked_up: HashMap<(&str, bool), Vec<Subject>> = HashMap::new();
    // A deleted link is no other edit's file, but may be its path.
    let own_names = asked.iter().any(|one| one.form.takes_name());
    for one in asked {
        let path = &one.edit.path[..];
        let key = (path, one.form.takes_name());
        if let Entry::Vacant(unknown) = looked_up.entry(key) {
            let mut subjects = match one.form.takes_name() {
                true => Vec::new(),
                false => vec![view.subject(path).map_err(|failure| one.refused(failure))?],
            };
            if own_names {
                subjects.extend(view.own_subjects(path));
            }
            unknown.insert(subjects);
        }
        let mut subjects =
            Subjects { from: looked_up.get(&key).cloned().unwrap_or_default(), to: Vec::new() };
        if let Form::Move(to, _) | Form::Copy(to, _) = one.form {
            subjects.to.push(view.subject(to).map_err(|failure| one.refused(failure))?);
            if own_names {
                subjects.to.extend(view.own_subjects(to));
            }
        }
        // The source of a copy is only read, as the call has found it.
        let is_copy = matches!(one.form, Form::Copy(..));
        let own = if is_copy { &[][..] } else { &subjects.from };
        let all = || own.iter().chain(&subjects.to);
        let file = all().filter_map(|subject| known.get(subject)).min().copied();
        let file = match file {
            None => {
                files.push(Group { edits: vec![*one], names: Vec::new() });
                files.len() - 1
            }
            Some(file) => {
                let group = &mut files[file];
                let is_new = |subject: &Subject| !known.contains_key(subject);
                let goes_on = subjects.from.iter().any(|subject| group.names.contains(subject));
                if !(one.may_follow(&group.edits) && goes_on && subjects.to.iter().all(is_new)) {
                    let first = group.edits[0].number;
                    return Err(one.refuse(Reason::InvalidEdit(EditProblem::SameFile(first))));
                }
                group.edits.push(Asked { follows: true, ..*one });
                file
            }
        };
        for subject in all() {
            known.entry(subject.clone()).or_insert(file);
        }
        files[file].names = if subjects.to.is_empty() { subjects.from } else { subjects.to };
    }
    let files: Vec<_> = files.into_iter().map(|group| group.edits).collect();
    refuse_files_in_files(&files, &known)?;
    Ok(files)
}

/// Refuses a new file below another one.
fn refuse_files_in_files(files: &[Vec<Asked>], known: &HashMap<Subject, usize>) -> Result<(), Failure> {
    let names: BTreeMap<_, _> = known
        .iter()
        .filter_map(|(subject, file)| match subject {
            Subject::Name(directory, names) => Some(((*directory, names.clone()), *file)),
            Subject::Thing(_) => None,
        })
        .collect();
    for ((directory, name), file) in &names {
        let inside = (*directory, format!("{name}/"));
        if let Some(((other, below), inner)) = names.range(inside.clone()..).next()
            && *other == inside.0
            && below.starts_with(&inside.1)
        {
            let (first, second) = (files[*file.min(inner)][0], files[*file.max(inner)][0]);
            return Err(second.refuse(Reason::InvalidEdit(EditProblem::InsideFile(first.number))));
        }
    }
    Ok(())
}
