//! The generated pages: `docs/tools/`, and the tables of the README and of `docs/policy.md`, made
//! from the contract and from cases of the corpus.
//!
//! `make reference` writes them; a test compares the files with the output of a new run.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use fsgate_contract as contract;
use fsgate_generator::model::{Contract, Definition, Field, Shape, Type};
use fsgate_generator::rust::snake;
use fsgate_generator::tags;
use fsgate_policy::{Evidence, LOOKED_UP, Profile, Rule, SOURCES};
use fsgate_text::languages::{CommentMark, LANGUAGES};
use fsgate_text::outline::Sections;
use serde_json::Value;

use crate::{report, systems};
use fsgate_corpus::case::{self, Case, Expected};
use fsgate_corpus::codes::{CALL_CODES, FAULT_CODES, SIZE_CODES, codes_of};

/// Every file of the reference by its path in the repository, with its content.
pub fn files() -> Result<BTreeMap<PathBuf, String>> {
    let contract = Contract::read(&root().join("wit"))?;
    let cases = case::all()?;
    let mut files = BTreeMap::new();
    for operation in contract::OPERATIONS {
        let page =
            page(&contract, operation, &cases).with_context(|| format!("the page of {}", operation.name))?;
        files.insert(Path::new("docs/tools").join(format!("{}.md", operation.name)), page);
    }
    files.insert(PathBuf::from("docs/tools/README.md"), index());
    files.insert(PathBuf::from("README.md"), readme()?);
    files.insert(PathBuf::from("docs/policy.md"), policy_page()?);
    files.insert(PathBuf::from("docs/protected.md"), protected_page());
    files.insert(PathBuf::from("docs/languages.md"), languages_page());
    files.insert(PathBuf::from("docs/systems.md"), systems::page()?);
    files.insert(PathBuf::from("docs/hosts/corpus.md"), report::page(&cases)?);
    Ok(files)
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

const START: &str = "<!-- tools: made from wit/, kept true by a test -->\n";
const END: &str = "<!-- end of tools -->";

/// The README with its table of tools brought up to date.
fn readme() -> Result<String> {
    let readme = std::fs::read_to_string(root().join("README.md"))?;
    let (before, rest) = readme.split_once(START).context("the README has no mark where its table begins")?;
    let (_, after) = rest.split_once(END).context("the README has no mark where its table ends")?;
    Ok(format!("{before}{START}{}{END}{after}", table("docs/tools/")))
}

const PROFILES: &str = "<!-- profiles: made from guest/policy/src/profiles.rs, kept true by a test -->\n";
const END_OF_PROFILES: &str = "<!-- end of profiles -->";

/// The page about policies, with the present rules of each profile.
fn policy_page() -> Result<String> {
    let page = std::fs::read_to_string(root().join("docs/policy.md"))?;
    let (before, rest) =
        page.split_once(PROFILES).context("docs/policy.md has no mark where profiles begin")?;
    let (_, after) = rest.split_once(END_OF_PROFILES).context("docs/policy.md has no mark where they end")?;
    let profiles: String = Profile::ALL.iter().map(|profile| profile_section(*profile)).collect();
    Ok(format!("{before}{PROFILES}{profiles}{END_OF_PROFILES}{after}"))
}

fn profile_section(profile: Profile) -> String {
    let document = profile.document();
    let mut out = format!("\n### `{}`\n\n", profile.name());
    let told = serde_json::to_value(&document).unwrap_or_default();
    let others: Vec<_> = told
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(field, _)| !["rules", "profile"].contains(&&field[..]))
        .map(|(field, value)| format!("`{field}`: {}", value.to_string().replace('"', "`")))
        .collect();
    if document.rules.is_empty() && others.is_empty() {
        out.push_str("Nothing is taken away.\n");
        return out;
    }
    if !others.is_empty() {
        let _ = writeln!(out, "{}.\n", others.join(", "));
    }
    out.push_str("| rule | effect | what it is about |\n| --- | --- | --- |\n");
    for Rule { name, paths, extensions, regex, unless, effect, apart } in &document.rules {
        let listed = |texts: &[String]| {
            texts.iter().map(|text| format!("`{}`", text.replace('|', "\\|"))).collect::<Vec<_>>().join(" ")
        };
        let effect = serde_json::to_value(effect).unwrap_or_default();
        let mut about = [listed(paths), listed(extensions), listed(regex)].join(" ").trim().to_owned();
        if !unless.is_empty() {
            let _ = write!(about, ", unless {}", listed(unless));
        }
        if !apart.is_empty() {
            let _ = write!(about, " beside {}, and these beside it", listed(apart));
        }
        let _ = writeln!(out, "| `{name}` | `{}` | {about} |", effect.as_str().unwrap_or_default());
    }
    out
}

/// The page about the files that profiles protect, by program, with the pages that describe them.
fn protected_page() -> String {
    let mut out = format!(
        "# Protected files\n\nMade from `guest/policy/src/known_files.rs`, and kept true by a test.\n\n\
         The rows of the profiles `default` and `strict` ([policy.md](policy.md#profiles)). Each has the\n\
         program that runs or reads the files, and the page that describes them. The last comparison with\n\
         the pages was on {LOOKED_UP}. A page with a star could not be read: its row is general knowledge.\n"
    );
    let mut rule = "";
    for source in SOURCES {
        if source.rule != rule {
            rule = source.rule;
            let _ = write!(out, "\n## `{rule}`\n\n| program | files | page |\n| --- | --- | --- |\n");
        }
        let files: Vec<_> = source.patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
        let star = if source.seen == Evidence::Known { " *" } else { "" };
        let _ = writeln!(out, "| {} | {} | <{}>{star} |", source.program, files.join(" "), source.page);
    }
    out
}

/// The page about kinds of files: their marks and their properties.
fn languages_page() -> String {
    let mut out = String::from(
        "# Kinds of files\n\nMade from `guest/text/src/languages.rs`, and kept true by a test.\n\n\
         `comment_lines` and `uncomment_lines` recognise a file by its name, then by its extension, then by the program that its first \
         line names (`#!`). `syntax` takes a name or an extension of this table. A name of a file is also recognised with a dot and \
         more behind it: `Dockerfile.dev`. `section` works where the last column says so, and for the keys of the top \
         level of JSON, which has no comments.\n\n\
         | name | a comment | extensions | names of files | programs | sections |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for language in LANGUAGES {
        let listed =
            |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" ");
        let mark = match language.mark {
            CommentMark::Line(mark) => format!("`{mark} …`"),
            CommentMark::Around(around) => format!("`{} … {}`", around.open, around.close),
        };
        let sections = match language.sections {
            Sections::Unknown => "",
            Sections::Markdown => "headings",
            Sections::Braces(_) => "braces",
            Sections::Indentation(_) => "indentation",
            Sections::Entries(format) => format.plural(),
        };
        let (extensions, files) = (listed(language.extensions), listed(language.files));
        let programs = listed(language.interpreters);
        let _ = writeln!(
            out,
            "| `{}` | {mark} | {extensions} | {files} | {programs} | {sections} |",
            language.name
        );
    }
    out
}

fn table(base: &str) -> String {
    let mut table = String::from("| tool | what it does | changes files |\n| --- | --- | --- |\n");
    for operation in contract::OPERATIONS {
        let (name, summary) = (operation.name, one_line(operation.summary()));
        let changes = match (operation.read_only, operation.destructive) {
            (true, _) => "no",
            (false, false) => "adds",
            (false, true) => "changes",
        };
        let _ = writeln!(table, "| [`{}`]({base}{name}.md) | {summary} | {changes} |", kebab(name));
    }
    table
}

fn index() -> String {
    format!(
        "{GENERATED}# The tools\n\n{}\nWhat holds for all of them (paths, text, tags, numbers, errors) stands in \
         [`wit/types.wit`](../../wit/types.wit).\n",
        table("")
    )
}

const GENERATED: &str = "<!-- Made by `make reference` from wit/ and tests/cases; a test compares. -->\n\n";

fn page(contract: &Contract, operation: &contract::Operation, cases: &[Case]) -> Result<String> {
    let model = contract
        .operations
        .iter()
        .find(|model| snake(&model.name) == operation.name)
        .context("the contract has no such operation")?;
    let mut out = format!("{GENERATED}# `{}`\n\n{}\n\n", kebab(operation.name), operation.description);
    let effect = match (operation.read_only, operation.destructive) {
        (true, _) => "It changes nothing.",
        (false, false) => "It adds, and changes nothing that is there.",
        (false, true) => "It changes what is there.",
    };
    let again = if operation.idempotent { " The same call again changes nothing more." } else { "" };
    let _ = writeln!(out, "{effect}{again} In JSON its name is `{}`.\n", operation.name);

    let mut records = Vec::new();
    out.push_str("## Arguments\n\n| field | type | default | meaning |\n| --- | --- | --- | --- |\n");
    for field in contract.fields(&model.args)? {
        let (ty, default) = (type_of(contract, &field.ty, &field.docs, &mut records), default(field));
        let _ = writeln!(out, "| `{}` | {ty} | {default} | {} |", snake(&field.name), cell(&field.docs.text));
    }
    out.push_str("\n## Outcome\n\n");
    fields(&mut out, contract, contract.fields(&model.outcome)?, &mut records);
    let mut done = 0;
    while let Some(definition) = records.get(done).copied() {
        done += 1;
        let _ = write!(out, "\n### {}\n\n{}\n\n", snake(&definition.name), one_line(&definition.docs));
        match &definition.shape {
            Shape::Record(inner) => fields(&mut out, contract, inner, &mut records),
            Shape::Enum(cases) => {
                out.push_str("| value | meaning |\n| --- | --- |\n");
                for case in cases {
                    let _ = writeln!(out, "| `{}` | {} |", snake(&case.name), cell(&case.docs));
                }
            }
            Shape::Variant(_) | Shape::Alias(_) => {}
        }
    }
    errors(&mut out, contract, operation.name)?;
    examples(&mut out, operation, cases)?;
    Ok(out)
}

fn fields<'a>(out: &mut String, contract: &'a Contract, fields: &[Field], records: &mut Vec<&'a Definition>) {
    out.push_str("| field | type | meaning |\n| --- | --- | --- |\n");
    for field in fields {
        let ty = type_of(contract, &field.ty, &field.docs, records);
        let optional = if matches!(field.ty, Type::Option(_)) { ", or absent" } else { "" };
        let _ = writeln!(out, "| `{}` | {ty}{optional} | {} |", snake(&field.name), cell(&field.docs.text));
    }
}

/// The type in words. Records and enums are remembered: each has a table of its own further down.
fn type_of<'a>(
    contract: &'a Contract,
    ty: &Type,
    docs: &tags::Documentation,
    records: &mut Vec<&'a Definition>,
) -> String {
    match contract.resolved(ty) {
        Type::Bool => "boolean".to_owned(),
        Type::Bytes => "bytes, in JSON as base64".to_owned(),
        Type::U32 | Type::U64 => match docs.range {
            Some((low, high)) => format!("integer, {low} to {high}"),
            None => "integer".to_owned(),
        },
        Type::String => "text".to_owned(),
        Type::List(item) => {
            let items = docs.range.map_or(String::new(), |(low, high)| format!(", {low} to {high} items"));
            format!("list of {}{items}", type_of(contract, item, &tags::Documentation::default(), records))
        }
        Type::Option(inner) => type_of(contract, inner, docs, records),
        Type::Named { module, name } => {
            // The error has its own section.
            if name == "error" {
                return "an error, see below".to_owned();
            }
            if let Some(definition) = contract.definition(module, name)
                && !records.iter().any(|known| known.name == definition.name)
            {
                records.push(definition);
            }
            format!("[{0}](#{0})", snake(name))
        }
    }
}

fn default(field: &Field) -> String {
    let shown = |value: &Value| format!("`{value}`");
    match (&field.docs.default, &field.docs.agent_default) {
        (Some(tags::Default::Value(value)), Some(agent)) => {
            format!("{}; in JSON calls {}", shown(value), shown(agent))
        }
        (Some(tags::Default::Value(value)), None) => shown(value),
        (Some(tags::Default::Meaning(meaning)), _) => meaning.clone(),
        (None, _) => "required".to_owned(),
    }
}

fn errors(out: &mut String, contract: &Contract, operation: &str) -> Result<()> {
    let code = contract.definition("types", "code").context("the contract has no codes")?;
    let Shape::Variant(cases) = &code.shape else { anyhow::bail!("`code` is a variant") };
    let own = codes_of(operation);
    out.push_str("\n## Errors\n\n| code | beside it | when |\n| --- | --- | --- |\n");
    for case in cases {
        let name = snake(&case.name);
        let large = SIZE_CODES.contains(&(operation, name.as_str()));
        if !own.contains(&name.as_str()) && !large {
            continue;
        }
        let payload = match &case.payload {
            Some(Type::Named { name, .. }) => format!("`{}`", snake(name)),
            _ => String::new(),
        };
        let _ = writeln!(out, "| `{name}` | {payload} | {} |", cell(&case.docs));
    }
    let list = |codes: &[&str]| codes.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ");
    let _ = writeln!(
        out,
        "\nBesides, a call in JSON that does not fit the arguments is {}; what the disk or the host does not allow is {}.",
        list(CALL_CODES),
        list(FAULT_CODES)
    );
    Ok(())
}

fn examples(out: &mut String, operation: &contract::Operation, cases: &[Case]) -> Result<()> {
    let examples: Vec<_> =
        cases.iter().filter(|case| case.file == operation.name && case.example.is_some()).collect();
    ensure!(examples.len() >= 2, "{} of two worked examples are marked in the corpus", examples.len());
    out.push_str("\n## Examples\n");
    for case in examples {
        let title = case.example.as_deref().unwrap_or_default();
        let ids: Vec<_> = (1..=case.earlier.len()).map(example_id).collect();
        let case = &case.with_undo_ids(&ids);
        let call: Value = serde_json::from_str(&case.call)?;
        let _ = write!(out, "\n### {title}\n\n");
        let _ = write!(out, "In this tree, in the notation of [the cases](../../tests/cases/README.md):\n\n");
        let _ = write!(out, "```\n{}\n```\n\n", case.written.before);
        if !case.earlier.is_empty() {
            out.push_str("after these calls, in the same session,\n\n```\n");
            for earlier in &case.earlier {
                let arguments: Value = serde_json::from_str(&earlier.call)?;
                let _ = writeln!(out, "{} {arguments}", earlier.tool);
            }
            out.push_str("```\n\n");
        }
        let _ =
            write!(out, "`fsgate call {} JSON` with\n\n```json\n{call:#}\n```\n\n", kebab(operation.name));
        let answer = match &case.expected {
            Expected::Outcome { value: outcome, .. } => {
                out.push_str("answers\n\n");
                case.expanded(outcome)?
            }
            Expected::Error(fields) => {
                out.push_str("is refused; among the fields of the error are\n\n");
                case.expanded(&Value::Object(fields.clone()))?
            }
        };
        let answer = format!("{answer:#}")
            .replace("$time", "2026-11-20T08:30:00Z")
            .replace("$undo-id", &example_id(case.earlier.len() + 1))
            .replace("\"$number\"", "612");
        let _ = write!(out, "```json\n{answer}\n```\n");
        if !case.unchanged {
            let _ = write!(out, "\nand leaves\n\n```\n{}\n```\n", case.written.after);
        }
    }
    Ok(())
}

/// An id as the call with this number may get it.
fn example_id(number: usize) -> String {
    format!("18b6a1f0c3d2e4{number:02}1122334455667788")
}

/// The text as it may stand in a table.
fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

fn kebab(name: &str) -> String {
    name.replace('_', "-")
}
