//! A WIT package as the generator sees it: the types of its types-only interfaces, and its operations.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use wit_parser::{Interface, Resolve, Type as WitType, TypeDefKind, TypeId, TypeOwner, WorldKey};

use crate::tags::{Annotation, Default, Documentation};

/// The whole package.
#[derive(Debug, Default)]
pub struct Contract {
    /// The types-only interfaces, in the order of their files.
    pub modules: Vec<Module>,
    /// The functions that take a documented `…-args` record and return `result<…-outcome, error>`.
    pub operations: Vec<Operation>,
    /// The functions of the interface `lean`: tools over the operations, read like them.
    pub lean: Vec<Operation>,
    /// The functions of the interface `front-ends`: a record goes in, and no error comes out.
    pub front_ends: Vec<FrontEnd>,
}

/// A types-only interface.
#[derive(Debug)]
pub struct Module {
    /// Name in kebab-case.
    pub name: String,
    /// Its documentation.
    pub docs: String,
    /// The types that it defines; those that it only uses stand where they are defined.
    pub types: Vec<Definition>,
}

/// A named type.
#[derive(Debug)]
pub struct Definition {
    /// Name in kebab-case.
    pub name: String,
    /// Its documentation.
    pub docs: String,
    /// What it is.
    pub shape: Shape,
}

/// What a named type is.
#[derive(Debug)]
pub enum Shape {
    /// A record with its fields.
    Record(Vec<Field>),
    /// Cases without payload.
    Enum(Vec<Case>),
    /// Cases of which some have a payload.
    Variant(Vec<Case>),
    /// Another name for a type.
    Alias(Type),
}

/// A field of a record.
#[derive(Debug)]
pub struct Field {
    /// Name in kebab-case.
    pub name: String,
    /// Its documentation with its tags.
    pub docs: Documentation,
    /// Its type.
    pub ty: Type,
}

/// A case of an enum or a variant.
#[derive(Debug)]
pub struct Case {
    /// Name in kebab-case.
    pub name: String,
    /// Its documentation.
    pub docs: String,
    /// Payload of a variant's case: always a named type, whose name is the payload's name in JSON.
    pub payload: Option<Type>,
}

/// A type where it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// `bool`
    Bool,
    /// `list<u8>`: in JSON as base64
    Bytes,
    /// `u32`
    U32,
    /// `u64`
    U64,
    /// `string`
    String,
    /// `list<…>`
    List(Box<Type>),
    /// `option<…>`
    Option(Box<Type>),
    /// A type that some module defines.
    Named {
        /// The module's name in kebab-case.
        module: String,
        /// The type's name in kebab-case.
        name: String,
    },
}

/// An operation of the package.
#[derive(Debug)]
pub struct Operation {
    /// Name in kebab-case.
    pub name: String,
    /// The interface that holds it.
    pub interface: String,
    /// Its documentation, and its examples.
    pub docs: Documentation,
    /// How it behaves.
    pub annotation: Annotation,
    /// Its arguments: a record of `<interface>-types`.
    pub args: Type,
    /// Its outcome: a record of `<interface>-types`.
    pub outcome: Type,
}

/// A function for the language of another system: what is wrong stands in its outcome.
#[derive(Debug)]
pub struct FrontEnd {
    /// Name in kebab-case.
    pub name: String,
    /// Its documentation.
    pub docs: Documentation,
    /// Its arguments: a record.
    pub args: Type,
    /// Its outcome: a record, or a variant.
    pub outcome: Type,
}

/// Interfaces about the others: their functions are no operations.
const NO_OPERATIONS: [&str; 4] = ["agent", "audit", "host", "lean-agent"];

/// The interface whose functions are front ends.
const FRONT_ENDS: &str = "front-ends";

/// The interface whose functions are the lean set.
const LEAN: &str = "lean";

/// Its types: they are read in JSON only.
pub const LEAN_TYPES: &str = "lean-types";

impl Contract {
    /// Reads the package in `directory`.
    pub fn read(directory: &Path) -> Result<Self> {
        let mut resolve = Resolve::default();
        let (package, _) =
            resolve.push_dir(directory).with_context(|| format!("reading {}", directory.display()))?;
        Self::from_resolve(&resolve, package)
    }

    /// Reads one WIT text.
    pub fn parse(text: &str) -> Result<Self> {
        let mut resolve = Resolve::default();
        let package = resolve.push_str("text.wit", text)?;
        Self::from_resolve(&resolve, package)
    }

    fn from_resolve(resolve: &Resolve, package: wit_parser::PackageId) -> Result<Self> {
        let mut contract = Self::default();
        for (name, id) in &resolve.packages[package].interfaces {
            let interface = &resolve.interfaces[*id];
            let reader = Reader { resolve };
            if interface.functions.is_empty() {
                contract.modules.push(reader.module(name, *id, interface)?);
            } else if name == FRONT_ENDS {
                for function in interface.functions.values() {
                    let front_end = reader
                        .front_end(function)
                        .with_context(|| format!("front end `{}`", function.name))?;
                    contract.front_ends.push(front_end);
                }
            } else if !NO_OPERATIONS.contains(&&name[..]) {
                for function in interface.functions.values() {
                    let operation = reader
                        .operation(name, function)
                        .with_context(|| format!("operation `{}`", function.name))?;
                    let of = if name == LEAN { &mut contract.lean } else { &mut contract.operations };
                    of.push(operation);
                }
            }
        }
        // The world says what matters first; files only know the alphabet.
        let exported = |interface: &str| {
            let worlds = resolve.packages[package].worlds.values();
            let mut names = worlds.flat_map(|id| resolve.worlds[*id].exports.keys());
            names.position(|key| match key {
                WorldKey::Interface(id) => resolve.interfaces[*id].name.as_deref() == Some(interface),
                WorldKey::Name(name) => name == interface,
            })
        };
        contract.operations.sort_by_key(|operation| exported(&operation.interface).unwrap_or(usize::MAX));
        contract.check()?;
        Ok(contract)
    }

    /// The definition behind a named type.
    pub fn definition(&self, module: &str, name: &str) -> Option<&Definition> {
        let module = self.modules.iter().find(|m| m.name == module)?;
        module.types.iter().find(|d| d.name == name)
    }

    /// The type behind any number of other names; behind an option as well.
    pub fn resolved<'a>(&'a self, ty: &'a Type) -> &'a Type {
        if let Type::Named { module, name } = ty.inner()
            && let Some(Definition { shape: Shape::Alias(target), .. }) = self.definition(module, name)
        {
            return self.resolved(target);
        }
        ty.inner()
    }

    /// True for an option under a name of its own.
    pub fn optional(&self, ty: &Type) -> bool {
        let Type::Named { module, name } = ty else { return matches!(ty, Type::Option(_)) };
        match self.definition(module, name).map(|definition| &definition.shape) {
            Some(Shape::Alias(target)) => self.optional(target),
            _ => false,
        }
    }

    /// The cases of an enum; behind an option as well.
    pub fn cases(&self, ty: &Type) -> Option<&[Case]> {
        let Type::Named { module, name } = self.resolved(ty) else { return None };
        match &self.definition(module, name)?.shape {
            Shape::Enum(cases) => Some(cases),
            _ => None,
        }
    }

    /// The fields of a record.
    pub fn fields(&self, ty: &Type) -> Result<&[Field]> {
        if let Type::Named { module, name } = ty
            && let Some(Definition { shape: Shape::Record(fields), .. }) = self.definition(module, name)
        {
            return Ok(fields);
        }
        bail!("{ty:?} is not a record of this package")
    }

    /// The record that a list holds, and its fields; behind an option as well.
    pub fn items<'a>(&'a self, ty: &'a Type) -> Option<(&'a Type, &'a [Field])> {
        let Type::List(item) = self.resolved(ty) else { return None };
        let item = self.resolved(item);
        self.fields(item).ok().map(|fields| (item, fields))
    }

    /// The records that lists among the arguments of operations hold, each one once.
    pub fn argument_items(&self) -> Result<Vec<(&Type, &[Field])>> {
        let mut found: Vec<(&Type, &[Field])> = Vec::new();
        for operation in &self.operations {
            for (item, fields) in
                self.fields(&operation.args)?.iter().filter_map(|field| self.items(&field.ty))
            {
                if !found.iter().any(|(other, _)| *other == item) {
                    found.push((item, fields));
                }
            }
        }
        Ok(found)
    }

    /// True for a record that a list among the arguments of an operation, or of a front end, holds.
    pub fn is_argument_item(&self, ty: &Type) -> bool {
        let operations = self.operations.iter().map(|operation| &operation.args);
        let all = operations.chain(self.front_ends.iter().map(|front_end| &front_end.args));
        all.flat_map(|args| self.fields(args).unwrap_or_default())
            .any(|field| self.items(&field.ty).is_some_and(|(item, _)| item == ty))
    }

    fn check(&self) -> Result<()> {
        for front_end in &self.front_ends {
            for field in self.fields(&front_end.args)? {
                self.check_field(field, &format!("`{}` of `{}`", field.name, front_end.name))?;
            }
        }
        for operation in self.operations.iter().chain(&self.lean) {
            self.fields(&operation.outcome)?;
            for field in self.fields(&operation.args)? {
                let place = format!("`{}` of `{}`", field.name, operation.name);
                self.check_field(field, &place)?;
                for inner in self.items(&field.ty).map_or(&[][..], |(_, fields)| fields) {
                    let place = format!("`{}` in {place}", inner.name);
                    if inner.docs.agent_default.is_some() {
                        bail!("{place} has a default for agents, which only arguments themselves have");
                    }
                    if matches!(self.resolved(&inner.ty), Type::List(_)) {
                        bail!("{place} is a list in a list");
                    }
                    self.check_field(inner, &place)?;
                }
            }
        }
        Ok(())
    }

    fn check_field(&self, field: &Field, place: &str) -> Result<()> {
        let optional = matches!(field.ty, Type::Option(_));
        if field.docs.text.is_empty() {
            bail!("{place} has no documentation");
        }
        if optional && field.docs.default.is_none() {
            bail!("{place} is an option without `@default`");
        }
        if let Type::Option(inner) = &field.ty
            && matches!(self.resolved(inner), Type::List(_))
            && matches!(field.docs.default, Some(Default::Value(_)))
        {
            bail!("{place} is an optional list with a default value: say in words what none means");
        }
        if let (Some(cases), Some(Default::Value(value))) = (self.cases(&field.ty), &field.docs.default) {
            let known = |value: &Value| cases.iter().any(|case| *value == case.name.replace('-', "_"));
            if !known(value) || field.docs.agent_default.as_ref().is_some_and(|value| !known(value)) {
                bail!("the default of {place} is none of its cases");
            }
        }
        if !optional && field.docs.default.is_some() {
            bail!("{place} has a default but is not an option");
        }
        let can_be_empty = matches!(self.resolved(field.ty.inner()), Type::String | Type::List(_))
            || self.cases(&field.ty).is_some();
        if field.docs.empty.is_some() && !(optional && can_be_empty) {
            bail!("{place} says what an empty value means but is no optional text or list");
        }
        let has_range = matches!(field.ty.inner(), Type::U32 | Type::U64 | Type::List(_));
        if field.docs.range.is_some() && !has_range {
            bail!("{place} has a range but is no number or list");
        }
        Ok(())
    }
}

impl Type {
    /// The type inside an option, else the type itself.
    pub fn inner(&self) -> &Type {
        match self {
            Type::Option(inner) => inner,
            other => other,
        }
    }
}

struct Reader<'a> {
    resolve: &'a Resolve,
}

impl Reader<'_> {
    fn module(&self, name: &str, id: wit_parser::InterfaceId, interface: &Interface) -> Result<Module> {
        let mut types = Vec::new();
        for (type_name, type_id) in &interface.types {
            if let Some(definition) = self
                .definition(type_name, *type_id, id)
                .with_context(|| format!("type `{type_name}` of `{name}`"))?
            {
                types.push(definition);
            }
        }
        let docs = Documentation::parse(interface.docs.contents.as_deref())?.text;
        Ok(Module { name: name.to_owned(), docs, types })
    }

    /// The definition, or none if the interface only uses a type of another one.
    fn definition(
        &self,
        name: &str,
        id: TypeId,
        interface: wit_parser::InterfaceId,
    ) -> Result<Option<Definition>> {
        let def = &self.resolve.types[id];
        let case = |name: &str, docs: &wit_parser::Docs, payload: Option<Type>| -> Result<Case> {
            let docs = Documentation::parse(docs.contents.as_deref())?.text;
            if docs.is_empty() {
                bail!("case `{name}` has no documentation");
            }
            Ok(Case { name: name.to_owned(), docs, payload })
        };
        let shape = match &def.kind {
            TypeDefKind::Record(record) => {
                let mut fields = Vec::new();
                for field in &record.fields {
                    let docs = Documentation::parse(field.docs.contents.as_deref())
                        .with_context(|| format!("field `{}`", field.name))?;
                    fields.push(Field { name: field.name.clone(), docs, ty: self.ty(&field.ty)? });
                }
                Shape::Record(fields)
            }
            TypeDefKind::Enum(cases) => {
                Shape::Enum(cases.cases.iter().map(|c| case(&c.name, &c.docs, None)).collect::<Result<_>>()?)
            }
            TypeDefKind::Variant(variant) => {
                let mut cases = Vec::new();
                for c in &variant.cases {
                    let payload = c.ty.as_ref().map(|ty| self.ty(ty)).transpose()?;
                    if payload.as_ref().is_some_and(|p| !matches!(p, Type::Named { .. })) {
                        bail!("the payload of `{}` needs a name: it is its field name in JSON", c.name);
                    }
                    cases.push(case(&c.name, &c.docs, payload)?);
                }
                Shape::Variant(cases)
            }
            TypeDefKind::Type(WitType::Id(target))
                if self.resolve.types[*target].owner != TypeOwner::Interface(interface)
                    && self.resolve.types[*target].name.is_some() =>
            {
                return Ok(None);
            }
            TypeDefKind::Type(_) | TypeDefKind::Option(_) | TypeDefKind::List(_) => {
                Shape::Alias(self.structure(&def.kind)?)
            }
            other => bail!("a {} has no place in the contract", other.as_str()),
        };
        let docs = Documentation::parse(def.docs.contents.as_deref())?.text;
        if docs.is_empty() {
            bail!("it has no documentation");
        }
        Ok(Some(Definition { name: name.to_owned(), docs, shape }))
    }

    fn structure(&self, kind: &TypeDefKind) -> Result<Type> {
        Ok(match kind {
            TypeDefKind::Option(inner) => Type::Option(Box::new(self.ty(inner)?)),
            TypeDefKind::List(WitType::U8) => Type::Bytes,
            TypeDefKind::List(inner) => Type::List(Box::new(self.ty(inner)?)),
            TypeDefKind::Type(inner) => self.ty(inner)?,
            other => bail!("a {} cannot be used here", other.as_str()),
        })
    }

    fn ty(&self, ty: &WitType) -> Result<Type> {
        Ok(match ty {
            WitType::Bool => Type::Bool,
            WitType::U32 => Type::U32,
            WitType::U64 => Type::U64,
            WitType::String => Type::String,
            WitType::Id(id) => {
                let mut id = *id;
                // A `use` is an alias of the type in its own interface: go to where it is defined.
                while let TypeDefKind::Type(WitType::Id(next)) = self.resolve.types[id].kind
                    && self.resolve.types[next].owner != self.resolve.types[id].owner
                    && self.resolve.types[next].name.is_some()
                {
                    id = next;
                }
                let def = &self.resolve.types[id];
                match (&def.name, def.owner) {
                    (Some(name), TypeOwner::Interface(owner)) => {
                        let module = self.resolve.interfaces[owner]
                            .name
                            .clone()
                            .context("an interface without a name")?;
                        Type::Named { module, name: name.clone() }
                    }
                    _ => self.structure(&def.kind)?,
                }
            }
            other => bail!("`{other:?}` is not a type of the contract"),
        })
    }

    fn front_end(&self, function: &wit_parser::Function) -> Result<FrontEnd> {
        let docs = Documentation::parse(function.docs.contents.as_deref())?;
        if docs.text.is_empty() {
            bail!("no documentation");
        }
        let [args] = function.params.as_slice() else { bail!("takes exactly one record") };
        let outcome = function.result.as_ref().context("returns an outcome")?;
        Ok(FrontEnd {
            name: function.name.clone(),
            args: self.ty(&args.ty)?,
            outcome: self.ty(outcome)?,
            docs,
        })
    }

    fn operation(&self, interface: &str, function: &wit_parser::Function) -> Result<Operation> {
        let docs = Documentation::parse(function.docs.contents.as_deref())?;
        let annotation = docs.annotation.context("no `@annotation`")?;
        if docs.text.is_empty() {
            bail!("no documentation");
        }
        let [args] = function.params.as_slice() else { bail!("takes exactly one record") };
        let Some(WitType::Id(result)) = function.result else { bail!("returns a result") };
        let TypeDefKind::Result(result) = &self.resolve.types[result].kind else { bail!("returns a result") };
        let outcome = result.ok.as_ref().context("returns an outcome")?;
        let error = self.ty(result.err.as_ref().context("returns an error")?)?;
        if error != (Type::Named { module: "types".to_owned(), name: "error".to_owned() }) {
            bail!("its error is not `types.error`");
        }
        Ok(Operation {
            name: function.name.clone(),
            interface: interface.to_owned(),
            annotation,
            args: self.ty(&args.ty)?,
            outcome: self.ty(outcome)?,
            docs,
        })
    }
}

#[cfg(test)]
mod tests;
