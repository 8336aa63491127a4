//! What is no code in a language, and what introduces a name in it.

/// One language.
#[derive(Debug)]
pub struct LexerRules {
    /// What begins a comment that ends with its line.
    pub line_comments: &'static [&'static str],
    /// A comment that is closed, and whether it may hold others.
    pub block_comment: Option<(&'static str, &'static str, bool)>,
    /// Strings; of those that begin alike, the longest first.
    pub strings: &'static [Quote],
    /// What else is no code.
    pub oddities: &'static [Oddity],
    /// Words that a defined name comes behind.
    pub keywords: &'static [&'static str],
    /// The same of what only adds to something that has the name already.
    pub adding: &'static [&'static str],
    /// How names are introduced besides.
    pub forms: &'static [DefinitionForm],
    /// Where a statement ends.
    pub ends: StatementEnd,
    /// What a word may hold besides letters, digits and `_`.
    pub word: &'static [u8],
}

/// A string.
#[derive(Debug, Clone, Copy)]
pub struct Quote {
    /// What begins it.
    pub open: &'static str,
    /// What ends it.
    pub close: &'static str,
    /// A backslash takes the meaning of the next character.
    pub escapes: bool,
    /// It may run over lines.
    pub lines: bool,
    /// What of it is code.
    pub holes: Holes,
    /// Of quotes in a row the last ones end it.
    pub greedy: bool,
}

/// What of a string is code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holes {
    /// Nothing.
    Without,
    /// `${…}`
    Dollar,
    /// The same behind a word: `s"${…}"`.
    DollarPrefixed,
    /// The same but behind `r`, where nothing is escaped either.
    DollarUnlessRaw,
    /// `{$…}` and `${…}`
    Php,
    /// `{…}` behind `f`, not `{{`.
    Python,
}

/// What a language has of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// `'a'` is a character, `'a` is not.
    Characters,
    /// Lines that begin with `#` are not for the compiler.
    Preprocessor,
    /// `r#"…"#`
    RustRaw,
    /// `R"x(…)x"`, and `1'000`.
    CppRaw,
    /// `/…/`
    Regexes,
    /// `\\…`, to the end of the line.
    ZigLines,
    /// `#"…"#`, and `\(…)` in strings.
    SwiftStrings,
    /// `@"…"`, `$"…{…}…"`, `$$"""…"""`.
    CSharpStrings,
    /// What is code depends on where words stand.
    Shell,
    /// `<<<EOT`, and text outside of `<?php … ?>`.
    Php,
}

/// How a name is introduced without a word before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefinitionForm {
    /// `name(…) {`
    Function,
    /// `name = … {` and `name: … {`, of a function or an object.
    Assignment,
    /// All that stands before the block.
    Selector,
    /// A word before a name means a definition only if the block follows.
    Tight,
    /// A definition may have no block.
    Bodyless,
    /// A comma begins something new.
    Commas,
    /// `operator==(…) {`
    Operators,
    /// `type (`, with a name in each line.
    Lists,
    /// `Type name {`
    Property,
    /// `init(…) {`
    Initializer,
    /// `Name(…) : a{1}, b = {} {`
    Initializers,
    /// A block ends a definition, whatever is behind it.
    Commands,
    /// `Type name = {`
    Variables,
    /// `f(a, b) int a; char b; {`
    Parameters,
    /// A block may be only indented.
    Offside,
    /// `Type name(…) => value;`, `Type name => value;`
    Arrows,
}

/// Where a statement ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementEnd {
    /// At `;`.
    Semicolon,
    /// At the end of a line, too.
    Line,
    /// At the end of a line, too, unless the next one is indented deeper.
    Indented,
}

const fn quote(open: &'static str, close: &'static str, escapes: bool, lines: bool) -> Quote {
    Quote { open, close, escapes, lines, holes: Holes::Without, greedy: false }
}

const fn with(holes: Holes, quote: Quote) -> Quote {
    Quote { holes, ..quote }
}

const DOUBLE: Quote = quote("\"", "\"", true, false);
const SINGLE: Quote = quote("'", "'", true, false);
const TRIPLE: Quote = quote("\"\"\"", "\"\"\"", true, true);
const TRIPLE_SINGLE: Quote = quote("'''", "'''", true, true);
const RAW_TRIPLE: Quote = Quote { greedy: true, ..quote("\"\"\"", "\"\"\"", false, true) };
const BACKTICKS: Quote = quote("`", "`", true, true);
const C_COMMENT: Option<(&str, &str, bool)> = Some(("/*", "*/", false));
const NESTED_COMMENT: Option<(&str, &str, bool)> = Some(("/*", "*/", true));
const SLASHES: &[&str] = &["//"];
const HASH: &[&str] = &["#"];

/// Most languages look like this one.
const BASE: LexerRules = LexerRules {
    line_comments: SLASHES,
    block_comment: C_COMMENT,
    strings: &[DOUBLE, SINGLE],
    oddities: &[],
    keywords: &[],
    adding: &[],
    forms: &[],
    ends: StatementEnd::Semicolon,
    word: &[],
};

pub(crate) const C: LexerRules = LexerRules {
    oddities: &[Oddity::Preprocessor],
    keywords: &["struct", "union", "enum"],
    forms: &[
        DefinitionForm::Function,
        DefinitionForm::Tight,
        DefinitionForm::Variables,
        DefinitionForm::Parameters,
    ],
    ..BASE
};

pub(crate) const CPP: LexerRules = LexerRules {
    oddities: &[Oddity::Preprocessor, Oddity::CppRaw],
    keywords: &["struct", "union", "enum", "class", "namespace", "concept"],
    forms: &[
        DefinitionForm::Function,
        DefinitionForm::Tight,
        DefinitionForm::Operators,
        DefinitionForm::Initializers,
        DefinitionForm::Variables,
    ],
    word: b"~",
    ..BASE
};

pub(crate) const CSHARP: LexerRules = LexerRules {
    strings: &[SINGLE],
    oddities: &[Oddity::Preprocessor, Oddity::CSharpStrings],
    keywords: &["class", "struct", "interface", "enum", "record", "namespace"],
    forms: &[
        DefinitionForm::Function,
        DefinitionForm::Property,
        DefinitionForm::Operators,
        DefinitionForm::Arrows,
    ],
    ..BASE
};

pub(crate) const CSS: LexerRules =
    LexerRules { line_comments: &[], strings: &[DOUBLE, SINGLE], forms: &[DefinitionForm::Selector], ..BASE };

pub(crate) const SCSS: LexerRules = LexerRules { line_comments: SLASHES, ..CSS };

pub(crate) const DART: LexerRules = LexerRules {
    block_comment: NESTED_COMMENT,
    strings: &[
        with(Holes::DollarUnlessRaw, TRIPLE),
        with(Holes::DollarUnlessRaw, TRIPLE_SINGLE),
        with(Holes::DollarUnlessRaw, DOUBLE),
        with(Holes::DollarUnlessRaw, SINGLE),
    ],
    keywords: &["class", "mixin", "enum", "extension"],
    forms: &[DefinitionForm::Function, DefinitionForm::Arrows, DefinitionForm::Initializers],
    ..BASE
};

pub(crate) const GDSCRIPT: LexerRules = LexerRules {
    line_comments: HASH,
    block_comment: None,
    strings: &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    keywords: &["func", "class", "enum", "const", "var", "signal"],
    ..BASE
};

pub(crate) const GO: LexerRules = LexerRules {
    strings: &[quote("`", "`", false, true), DOUBLE, SINGLE],
    keywords: &["func", "type", "var", "const"],
    forms: &[DefinitionForm::Bodyless, DefinitionForm::Lists],
    ends: StatementEnd::Line,
    ..BASE
};

pub(crate) const GRAPHQL: LexerRules = LexerRules {
    line_comments: HASH,
    block_comment: None,
    strings: &[TRIPLE, DOUBLE],
    keywords: &[
        "type",
        "interface",
        "input",
        "enum",
        "scalar",
        "union",
        "query",
        "mutation",
        "subscription",
        "fragment",
    ],
    forms: &[DefinitionForm::Bodyless],
    ends: StatementEnd::Line,
    ..BASE
};

pub(crate) const JAVA: LexerRules = LexerRules {
    strings: &[TRIPLE, DOUBLE, SINGLE],
    keywords: &["class", "interface", "enum", "record"],
    forms: &[DefinitionForm::Function],
    ..BASE
};

pub(crate) const JAVASCRIPT: LexerRules = LexerRules {
    strings: &[with(Holes::Dollar, BACKTICKS), DOUBLE, SINGLE],
    oddities: &[Oddity::Regexes],
    keywords: &["function", "class", "const", "let", "var"],
    forms: &[
        DefinitionForm::Function,
        DefinitionForm::Assignment,
        DefinitionForm::Bodyless,
        DefinitionForm::Commas,
    ],
    ends: StatementEnd::Indented,
    word: b"$#",
    ..BASE
};

pub(crate) const TYPESCRIPT: LexerRules = LexerRules {
    keywords: &[
        "function",
        "class",
        "interface",
        "enum",
        "namespace",
        "module",
        "type",
        "const",
        "let",
        "var",
    ],
    ..JAVASCRIPT
};

pub(crate) const KOTLIN: LexerRules = LexerRules {
    block_comment: NESTED_COMMENT,
    strings: &[with(Holes::Dollar, RAW_TRIPLE), with(Holes::Dollar, DOUBLE), SINGLE],
    keywords: &["fun", "class", "interface", "object", "val", "var", "typealias"],
    forms: &[DefinitionForm::Bodyless],
    ends: StatementEnd::Indented,
    ..BASE
};

pub(crate) const PHP: LexerRules = LexerRules {
    line_comments: &["//", "#"],
    strings: &[
        with(Holes::Php, quote("\"", "\"", true, true)),
        quote("'", "'", true, true),
        with(Holes::Php, BACKTICKS),
    ],
    oddities: &[Oddity::Php],
    keywords: &["function", "class", "interface", "trait", "enum", "namespace"],
    ..BASE
};

pub(crate) const PROTOBUF: LexerRules = LexerRules {
    keywords: &["message", "enum", "service", "rpc", "oneof"],
    forms: &[DefinitionForm::Bodyless],
    ..BASE
};

pub(crate) const PYTHON: LexerRules = LexerRules {
    line_comments: HASH,
    block_comment: None,
    strings: &[
        with(Holes::Python, TRIPLE),
        with(Holes::Python, TRIPLE_SINGLE),
        with(Holes::Python, DOUBLE),
        with(Holes::Python, SINGLE),
    ],
    keywords: &["def", "class"],
    forms: &[DefinitionForm::Assignment],
    ..BASE
};

pub(crate) const RUST: LexerRules = LexerRules {
    block_comment: NESTED_COMMENT,
    strings: &[quote("\"", "\"", true, true)],
    oddities: &[Oddity::Characters, Oddity::RustRaw],
    keywords: &["fn", "struct", "enum", "union", "trait", "mod", "macro_rules", "const", "static", "type"],
    adding: &["impl"],
    forms: &[DefinitionForm::Bodyless],
    ..BASE
};

pub(crate) const SCALA: LexerRules = LexerRules {
    block_comment: NESTED_COMMENT,
    strings: &[with(Holes::DollarPrefixed, RAW_TRIPLE), with(Holes::DollarPrefixed, DOUBLE)],
    oddities: &[Oddity::Characters],
    keywords: &["def", "class", "trait", "object", "enum", "val", "var", "type", "given"],
    forms: &[DefinitionForm::Bodyless, DefinitionForm::Offside],
    ends: StatementEnd::Indented,
    ..BASE
};

pub(crate) const SHELL: LexerRules = LexerRules {
    line_comments: HASH,
    block_comment: None,
    strings: &[],
    oddities: &[Oddity::Shell],
    keywords: &["function"],
    forms: &[DefinitionForm::Function, DefinitionForm::Commands],
    ends: StatementEnd::Line,
    word: b"-.:/+@!%^~,?*",
    ..BASE
};

pub(crate) const SWIFT: LexerRules = LexerRules {
    block_comment: NESTED_COMMENT,
    strings: &[],
    oddities: &[Oddity::SwiftStrings],
    keywords: &["func", "class", "struct", "enum", "protocol", "actor", "let", "var", "typealias"],
    adding: &["extension"],
    forms: &[DefinitionForm::Bodyless, DefinitionForm::Initializer],
    ends: StatementEnd::Indented,
    ..BASE
};

pub(crate) const WIT: LexerRules = LexerRules {
    strings: &[DOUBLE],
    keywords: &["interface", "world", "record", "variant", "enum", "flags", "resource", "type"],
    forms: &[DefinitionForm::Bodyless],
    word: b"-%",
    ..BASE
};

pub(crate) const ZIG: LexerRules = LexerRules {
    block_comment: None,
    strings: &[DOUBLE, SINGLE],
    oddities: &[Oddity::ZigLines],
    keywords: &["fn", "const", "var"],
    forms: &[DefinitionForm::Bodyless],
    ..BASE
};
