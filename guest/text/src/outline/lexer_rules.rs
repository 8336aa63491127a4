//! The comments, strings and definitions of each language.

/// The lexical rules of one language.
#[derive(Debug)]
pub struct LexerRules {
    /// Starts of line comments.
    pub line_comments: &'static [&'static str],
    /// A block comment, and whether it nests.
    pub block_comment: Option<(&'static str, &'static str, bool)>,
    /// Strings; a longer start before its prefix.
    pub strings: &'static [Quote],
    /// Other constructs besides code.
    pub oddities: &'static [Oddity],
    /// Keywords before a defined name.
    pub keywords: &'static [&'static str],
    /// Keywords that extend an existing name.
    pub adding: &'static [&'static str],
    /// Other forms of definitions.
    pub forms: &'static [DefinitionForm],
    /// The ends of statements.
    pub ends: StatementEnd,
    /// Bytes of words besides letters, digits and `_`.
    pub word: &'static [u8],
}

/// A kind of string.
#[derive(Debug, Clone, Copy)]
pub struct Quote {
    /// Its start.
    pub open: &'static str,
    /// Its end.
    pub close: &'static str,
    /// A backslash escapes the next character.
    pub escapes: bool,
    /// It may span lines.
    pub lines: bool,
    /// The code inside it.
    pub holes: Holes,
    /// The last of several closing quotes ends it.
    pub greedy: bool,
}

/// Code inside a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holes {
    /// None.
    Without,
    /// `${…}`
    Dollar,
    /// The same after a word: `s"${…}"`.
    DollarPrefixed,
    /// The same except after `r`, where nothing is escaped either.
    DollarUnlessRaw,
    /// `{$…}` and `${…}`
    Php,
    /// `{…}` after `f`, not `{{`.
    Python,
    /// `#{…}`
    Ruby,
}

/// Special constructs of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// `'a'` is a character, `'a` is not.
    Characters,
    /// Preprocessor lines begin with `#`.
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
    /// Word positions decide about code.
    Shell,
    /// `<<<EOT`, and text outside of `<?php … ?>`.
    Php,
    /// `<<~ID`, `%w[…]`, `/…/`, `=begin … =end`, `__END__`.
    Ruby,
    /// `$tag$…$tag$`, `E'…'`, `q'[…]'`, rows of `COPY`.
    Sql,
    /// Indentation and position decide about strings.
    Yaml,
}

/// A form of definition without a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefinitionForm {
    /// `name(…) {`
    Function,
    /// `name = … {` and `name: … {`, of a function or an object.
    Assignment,
    /// All text before the block.
    Selector,
    /// A keyword defines only if the block follows at once.
    Tight,
    /// A definition may have no block.
    Bodyless,
    /// A comma begins a new statement.
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
    /// A block always ends its definition.
    Commands,
    /// `Type name = {`
    Variables,
    /// `f(a, b) int a; char b; {`
    Parameters,
    /// A block may be indented only.
    Offside,
    /// `Type name(…) => value;`, `Type name => value;`
    Arrows,
}

/// The end of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementEnd {
    /// At `;`.
    Semicolon,
    /// Also at the end of a line.
    Line,
    /// Also at a line's end, unless the next line is indented deeper.
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

/// The rules that most languages share.
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

/// Tags count as strings: a comment in one is no comment.
pub(crate) const HANDLEBARS: LexerRules = LexerRules {
    line_comments: &[],
    block_comment: Some(("{{!--", "--}}", false)),
    strings: &[quote("{{", "}}", false, true)],
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

pub(crate) const JINJA: LexerRules = LexerRules {
    line_comments: &[],
    block_comment: Some(("{#", "#}", false)),
    strings: &[quote("{%", "%}", false, true), quote("{{", "}}", false, true)],
    ..BASE
};

pub(crate) const KOTLIN: LexerRules = LexerRules {
    block_comment: NESTED_COMMENT,
    strings: &[with(Holes::Dollar, RAW_TRIPLE), with(Holes::Dollar, DOUBLE), SINGLE],
    keywords: &["fun", "class", "interface", "object", "val", "var", "typealias"],
    forms: &[DefinitionForm::Bodyless],
    ends: StatementEnd::Indented,
    ..BASE
};

pub(crate) const MDX: LexerRules =
    LexerRules { line_comments: &[], block_comment: Some(("{/*", "*/}", false)), strings: &[], ..BASE };

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

pub(crate) const RUBY: LexerRules = LexerRules {
    line_comments: HASH,
    block_comment: None,
    strings: &[
        with(Holes::Ruby, quote("\"", "\"", true, true)),
        quote("'", "'", true, true),
        with(Holes::Ruby, quote("`", "`", true, false)),
        with(Holes::Ruby, quote("/", "/", true, true)),
    ],
    oddities: &[Oddity::Ruby],
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

/// In dialects without nested comments, an inner start makes the rest uncertain.
pub(crate) const SQL: LexerRules = LexerRules {
    line_comments: &["--"],
    block_comment: NESTED_COMMENT,
    strings: &[quote("'", "'", false, true), quote("\"", "\"", false, true), quote("`", "`", false, false)],
    oddities: &[Oddity::Sql],
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

pub(crate) const TOML: LexerRules = LexerRules {
    line_comments: HASH,
    block_comment: None,
    strings: &[
        Quote { greedy: true, ..TRIPLE },
        Quote { greedy: true, ..quote("'''", "'''", false, true) },
        DOUBLE,
        quote("'", "'", false, false),
    ],
    ..BASE
};

pub(crate) const WIT: LexerRules = LexerRules {
    strings: &[DOUBLE],
    keywords: &["interface", "world", "record", "variant", "enum", "flags", "resource", "type"],
    forms: &[DefinitionForm::Bodyless],
    word: b"-%",
    ..BASE
};

pub(crate) const YAML: LexerRules =
    LexerRules { line_comments: HASH, block_comment: None, oddities: &[Oddity::Yaml], ..BASE };

pub(crate) const ZIG: LexerRules = LexerRules {
    block_comment: None,
    strings: &[DOUBLE, SINGLE],
    oddities: &[Oddity::ZigLines],
    keywords: &["fn", "const", "var"],
    forms: &[DefinitionForm::Bodyless],
    ..BASE
};
