//! Known kinds of text files.
//!
//! One table, sorted by name. A file's name decides, then its extension, then the program in its
//! first line.

use super::blocks::Dialect;
use super::comment::is_deeper;
use super::markup::Mixture;
use super::outline::lexer_rules::{self, LexerRules};
use super::outline::{EntryFormat, Sections, escape_of_dockerfile};

/// The comment mark of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommentMark {
    /// Before the line.
    Line(&'static str),
    /// Around the line.
    Around(CommentDelimiters),
}

/// A comment with an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommentDelimiters {
    /// The start.
    pub open: &'static str,
    /// The end.
    pub close: &'static str,
    /// Texts that a comment must not hold.
    pub not_inside: &'static [&'static str],
    /// Comments nest.
    pub nests: bool,
}

/// One kind of text file.
#[derive(Debug, Clone, Copy)]
pub struct Language {
    /// The lower-case name that `syntax` accepts.
    pub name: &'static str,
    /// Extensions after the last dot, in lower case.
    pub extensions: &'static [&'static str],
    /// Complete file names, perhaps followed by a dot and more.
    pub files: &'static [&'static str],
    /// Programs that run it, without a version.
    pub interpreters: &'static [&'static str],
    /// The comment mark of lines outside of blocks.
    pub mark: CommentMark,
    /// Blocks of other languages.
    pub blocks: Option<Dialect>,
    /// A line's place decides about its comment.
    pub mixture: Option<Mixture>,
    /// The kind of its sections.
    pub sections: Sections,
    /// Its strings, if its sections do not tell them.
    strings: Option<&'static LexerRules>,
}

impl Language {
    /// The rules that tell its strings from its code.
    pub fn lexer_rules(&self) -> Option<&'static LexerRules> {
        match self.sections {
            Sections::Braces(rules) | Sections::Indentation(rules) => Some(rules),
            Sections::Unknown | Sections::Markdown | Sections::Entries(_) => self.strings,
        }
    }

    /// Whether these lines end with a backslash that joins the next line, comments included.
    pub fn joins(&self, lines: &[u8]) -> bool {
        let line = lines.strip_suffix(b"\n").unwrap_or(lines);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let last = line.rsplit(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or(line);
        last.trim_ascii_end().ends_with(b"\\") && JOINING.contains(&self.name)
    }

    /// The end of the last of these lines of code, if it joins the next line to it. A comment
    /// between such lines, or in the place of one, makes a command of an argument. A Dockerfile
    /// can name that end in a directive of its head.
    pub fn continues(&self, code: &[u8], head: &[u8]) -> Option<&'static str> {
        let is_comment = |line: &&[u8]| match self.mark {
            CommentMark::Line(mark) => line.trim_ascii_start().starts_with(mark.as_bytes()),
            CommentMark::Around(_) => false,
        };
        let code = code.strip_suffix(b"\n").unwrap_or(code);
        let lines = code.rsplit(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let mut lines = lines.skip_while(|line| self.joins_over_comments() && is_comment(line));
        let last = lines.next().filter(|line| !is_comment(line))?;
        let named = (self.name == "dockerfile").then(|| escape_of_dockerfile(head));
        let known = CONTINUING.iter().filter(|(_, names)| names.contains(&self.name)).map(|(end, _)| *end);
        let mut ends = named.into_iter().chain(known.filter(|_| named.is_none()));
        // Two of such marks are one as a character.
        ends.find(|end| {
            let marks = last.rchunks(end.len()).take_while(|chunk| *chunk == end.as_bytes()).count();
            marks % 2 == 1
        })
    }

    /// Whether comments may stand between lines that are joined.
    pub fn joins_over_comments(&self) -> bool {
        self.name == "dockerfile"
    }

    /// Whether these lines as comments would hold the deeper lines after them.
    pub fn holds(&self, lines: &[u8], after: &[u8]) -> bool {
        HOLDING.contains(&self.name) && is_deeper(lines, after)
    }
}

/// Languages in which a final backslash continues a comment.
const JOINING: &[&str] = &["c", "c++", "glsl", "makefile", "objective-c", "tcl"];

/// The ends of code lines that join the next one, and the languages.
const CONTINUING: &[(&str, &[&str])] = &[
    (
        "\\",
        &[
            "apache",
            "awk",
            "bazel",
            "coffeescript",
            "crystal",
            "desktop",
            "fish",
            "gdscript",
            "gitconfig",
            "gnuplot",
            "just",
            "properties",
            "python",
            "requirements",
            "ruby",
            "sed",
            "shell",
        ],
    ),
    ("`", &["powershell"]),
    ("^", &["batch"]),
    (" _", &["vb"]),
    ("...", &["matlab"]),
    ("&", &["fortran"]),
];

/// Languages whose comments hold the lines that are indented deeper.
const HOLDING: &[&str] = &["pug", "sass"];

pub(super) const fn plain(
    name: &'static str,
    mark: CommentMark,
    extensions: &'static [&'static str],
    files: &'static [&'static str],
    interpreters: &'static [&'static str],
) -> Language {
    let (blocks, mixture, sections, strings) = (None, None, Sections::Unknown, None);
    Language { name, extensions, files, interpreters, mark, blocks, mixture, sections, strings }
}

const fn mixed(name: &'static str, blocks: Dialect, extensions: &'static [&'static str]) -> Language {
    Language { blocks: Some(blocks), ..plain(name, HTML, extensions, &[], &[]) }
}

const fn known(
    name: &'static str,
    mark: CommentMark,
    sections: Sections,
    extensions: &'static [&'static str],
    files: &'static [&'static str],
    interpreters: &'static [&'static str],
) -> Language {
    Language { sections, ..plain(name, mark, extensions, files, interpreters) }
}

const fn entries(format: EntryFormat, language: Language) -> Language {
    Language { sections: Sections::Entries(format), ..language }
}

const fn quoting(strings: &'static LexerRules, language: Language) -> Language {
    Language { strings: Some(strings), ..language }
}

const fn around(mixture: Mixture, language: Language) -> Language {
    Language { mixture: Some(mixture), ..language }
}

const HASH: CommentMark = CommentMark::Line("#");
const SLASHES: CommentMark = CommentMark::Line("//");
const DASHES: CommentMark = CommentMark::Line("--");
const PERCENT: CommentMark = CommentMark::Line("%");
const SEMICOLON: CommentMark = CommentMark::Line(";");
const SEMICOLONS: CommentMark = CommentMark::Line(";;");
const QUOTE: CommentMark = CommentMark::Line("'");

const C_BLOCK: CommentMark =
    CommentMark::Around(CommentDelimiters { open: "/*", close: "*/", not_inside: &["*/"], nests: false });
const ML_BLOCK: CommentMark =
    CommentMark::Around(CommentDelimiters { open: "(*", close: "*)", not_inside: &[], nests: true });
const HTML: CommentMark = CommentMark::Around(CommentDelimiters {
    open: "<!--",
    close: "-->",
    not_inside: &["-->", "--!>"],
    nests: false,
});
/// XML comments hold no `--`.
const XML: CommentMark =
    CommentMark::Around(CommentDelimiters { open: "<!--", close: "-->", not_inside: &["--"], nests: false });
const JINJA: CommentMark =
    CommentMark::Around(CommentDelimiters { open: "{#", close: "#}", not_inside: &["#}"], nests: false });
const HANDLEBARS: CommentMark = CommentMark::Around(CommentDelimiters {
    open: "{{!--",
    close: "--}}",
    not_inside: &["--}}"],
    nests: false,
});

/// All known languages, sorted by name.
pub const LANGUAGES: &[Language] = &[
    plain("ada", DASHES, &["adb", "ads", "ada"], &[], &[]),
    plain("apache", HASH, &["htaccess"], &[".htaccess", "httpd.conf"], &[]),
    plain("applescript", DASHES, &["applescript"], &[], &["osascript"]),
    plain("asciidoc", SLASHES, &["adoc", "asciidoc"], &[], &[]),
    plain("asm", SEMICOLON, &["asm", "nasm"], &[], &[]),
    plain("autohotkey", SEMICOLON, &["ahk"], &[], &[]),
    plain("awk", HASH, &["awk"], &[], &["awk", "gawk", "mawk"]),
    plain("batch", CommentMark::Line("REM"), &["bat", "cmd"], &[], &[]),
    plain("bazel", HASH, &["bazel", "bzl", "star"], &["BUILD", "WORKSPACE"], &[]),
    plain("bibtex", PERCENT, &["bib"], &[], &[]),
    known("c", SLASHES, Sections::Braces(&lexer_rules::C), &["c", "h"], &[], &[]),
    known("c#", SLASHES, Sections::Braces(&lexer_rules::CSHARP), &["cs", "csx"], &[], &[]),
    known(
        "c++",
        SLASHES,
        Sections::Braces(&lexer_rules::CPP),
        &["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ino", "cu"],
        &[],
        &[],
    ),
    plain("clojure", SEMICOLONS, &["clj", "cljs", "cljc", "edn"], &[], &["bb", "clojure"]),
    plain("cmake", HASH, &["cmake"], &["CMakeLists.txt"], &[]),
    plain("cobol", CommentMark::Line("*>"), &["cob", "cbl"], &[], &[]),
    plain("coffeescript", HASH, &["coffee"], &["Cakefile"], &["coffee"]),
    entries(EntryFormat::Ini, plain("conf", HASH, &["conf", "cfg", "cnf"], &[], &[])),
    plain("crontab", HASH, &["crontab"], &["crontab"], &[]),
    plain("crystal", HASH, &["cr"], &[], &["crystal"]),
    known("css", C_BLOCK, Sections::Braces(&lexer_rules::CSS), &["css"], &[], &[]),
    plain("cypher", SLASHES, &["cypher", "cql"], &[], &[]),
    plain("d", SLASHES, &["d"], &[], &["rdmd"]),
    known("dart", SLASHES, Sections::Braces(&lexer_rules::DART), &["dart"], &[], &["dart"]),
    entries(
        EntryFormat::JoinedIni,
        plain("desktop", HASH, &["desktop", "service", "socket", "timer"], &[], &[]),
    ),
    entries(
        EntryFormat::Dockerfile,
        plain("dockerfile", HASH, &["dockerfile"], &["Dockerfile", "Containerfile"], &[]),
    ),
    plain("dot", SLASHES, &["dot", "gv"], &[], &[]),
    entries(EntryFormat::Ini, plain("editorconfig", HASH, &["editorconfig"], &[".editorconfig"], &[])),
    plain("elixir", HASH, &["ex", "exs"], &[], &["elixir"]),
    plain("elm", DASHES, &["elm"], &[], &[]),
    plain("env", HASH, &["env"], &[".env"], &[]),
    plain("erlang", PERCENT, &["erl", "hrl"], &[], &["escript"]),
    plain("fish", HASH, &["fish"], &[], &["fish"]),
    plain("fortran", CommentMark::Line("!"), &["f90", "f95", "f03", "f08"], &[], &[]),
    plain("fsharp", SLASHES, &["fs", "fsi", "fsx"], &[], &[]),
    known("gdscript", HASH, Sections::Indentation(&lexer_rules::GDSCRIPT), &["gd"], &[], &[]),
    plain("gettext", HASH, &["po", "pot"], &[], &[]),
    plain("gitattributes", HASH, &["gitattributes"], &[".gitattributes"], &[]),
    entries(
        EntryFormat::JoinedIni,
        plain("gitconfig", HASH, &["gitconfig"], &[".gitconfig", ".gitmodules"], &[]),
    ),
    plain(
        "gitignore",
        HASH,
        &["gitignore"],
        &[
            ".gitignore",
            ".dockerignore",
            ".npmignore",
            ".eslintignore",
            ".prettierignore",
            ".ignore",
            ".rgignore",
            ".fdignore",
            "CODEOWNERS",
        ],
        &[],
    ),
    plain("glsl", SLASHES, &["glsl", "vert", "frag", "comp", "geom", "hlsl", "wgsl", "metal"], &[], &[]),
    plain("gnuplot", HASH, &["gp", "gnuplot", "plt"], &[], &["gnuplot"]),
    known("go", SLASHES, Sections::Braces(&lexer_rules::GO), &["go"], &[], &[]),
    plain("go.mod", SLASHES, &["mod"], &["go.mod", "go.work"], &[]),
    known("graphql", HASH, Sections::Braces(&lexer_rules::GRAPHQL), &["graphql", "gql"], &[], &[]),
    plain("groovy", SLASHES, &["groovy", "gradle", "gvy"], &["Jenkinsfile"], &["groovy"]),
    quoting(&lexer_rules::HANDLEBARS, plain("handlebars", HANDLEBARS, &["hbs", "handlebars"], &[], &[])),
    plain("haskell", DASHES, &["hs"], &[], &["runhaskell", "runghc"]),
    plain("hcl", HASH, &["hcl", "tf", "tfvars", "nomad"], &[], &[]),
    plain("hosts", HASH, &["hosts"], &["hosts", "fstab"], &[]),
    mixed("html", Dialect::Html, &["html", "htm", "xhtml"]),
    entries(EntryFormat::Ini, plain("ini", SEMICOLON, &["ini", "inf", "reg"], &[], &[])),
    known("java", SLASHES, Sections::Braces(&lexer_rules::JAVA), &["java"], &[], &["java"]),
    around(
        Mixture::Elements,
        known(
            "javascript",
            SLASHES,
            Sections::Braces(&lexer_rules::JAVASCRIPT),
            &["js", "mjs", "cjs", "jsx", "es6"],
            &[],
            &["node", "nodejs", "bun"],
        ),
    ),
    quoting(&lexer_rules::JINJA, plain("jinja", JINJA, &["j2", "jinja", "jinja2", "twig", "njk"], &[], &[])),
    plain("jq", HASH, &["jq"], &[], &["jq"]),
    entries(EntryFormat::Json, plain("json5", SLASHES, &["json5"], &[], &[])),
    entries(EntryFormat::Json, plain("jsonc", SLASHES, &["jsonc"], &["tsconfig.json", "jsconfig.json"], &[])),
    plain("jsonnet", SLASHES, &["jsonnet", "libsonnet"], &[], &[]),
    plain("julia", HASH, &["jl"], &[], &["julia"]),
    plain("just", HASH, &["just"], &["justfile", "Justfile"], &["just"]),
    known("kotlin", SLASHES, Sections::Braces(&lexer_rules::KOTLIN), &["kt", "kts"], &[], &["kotlin"]),
    plain("latex", PERCENT, &["tex", "sty", "cls", "ltx"], &[], &[]),
    known("less", SLASHES, Sections::Braces(&lexer_rules::SCSS), &["less"], &[], &[]),
    plain("lisp", SEMICOLONS, &["lisp", "lsp", "cl", "el"], &[".emacs"], &["sbcl", "clisp", "emacs"]),
    plain("lua", DASHES, &["lua"], &[], &["lua", "luajit"]),
    entries(
        EntryFormat::Makefile,
        plain("makefile", HASH, &["mk", "mak", "make"], &["Makefile", "makefile", "GNUmakefile"], &["make"]),
    ),
    around(
        Mixture::Fences,
        known("markdown", HTML, Sections::Markdown, &["md", "markdown", "mdown", "mkd"], &[], &[]),
    ),
    plain("matlab", PERCENT, &["matlab"], &[], &["octave"]),
    around(
        Mixture::Fences,
        quoting(
            &lexer_rules::MDX,
            plain(
                "mdx",
                CommentMark::Around(CommentDelimiters {
                    open: "{/*",
                    close: "*/}",
                    not_inside: &["*/"],
                    nests: false,
                }),
                &["mdx"],
                &[],
                &[],
            ),
        ),
    ),
    plain("meson", HASH, &["meson"], &["meson.build", "meson_options.txt"], &[]),
    plain("nginx", HASH, &["nginx", "nginxconf"], &["nginx.conf"], &[]),
    plain("nim", HASH, &["nim", "nims", "nimble"], &[], &["nim"]),
    plain("nix", HASH, &["nix"], &[], &[]),
    plain("objective-c", SLASHES, &["m", "mm"], &[], &[]),
    plain("ocaml", ML_BLOCK, &["ml", "mli", "mll", "mly"], &[], &["ocaml"]),
    plain("pascal", SLASHES, &["pas", "pp", "dpr", "lpr"], &[], &[]),
    plain("perl", HASH, &["pl", "pm", "t"], &[], &["perl"]),
    around(
        Mixture::Html,
        known(
            "php",
            SLASHES,
            Sections::Braces(&lexer_rules::PHP),
            &["php", "phtml", "php5", "php7"],
            &[],
            &["php"],
        ),
    ),
    plain("powershell", HASH, &["ps1", "psm1", "psd1"], &[], &["pwsh", "powershell"]),
    plain("prolog", PERCENT, &["pro", "prolog"], &[], &["swipl"]),
    plain("properties", HASH, &["properties"], &[], &[]),
    known("protobuf", SLASHES, Sections::Braces(&lexer_rules::PROTOBUF), &["proto"], &[], &[]),
    plain("pug", CommentMark::Line("//-"), &["pug", "jade"], &[], &[]),
    plain("puppet", HASH, &[], &["Puppetfile"], &[]),
    known(
        "python",
        HASH,
        Sections::Indentation(&lexer_rules::PYTHON),
        &["py", "pyi", "pyw", "pyx"],
        &["SConstruct", "SConscript", "wscript"],
        &["python", "pypy"],
    ),
    plain("r", HASH, &["r", "rmd"], &[".Rprofile"], &["rscript"]),
    plain("racket", SEMICOLONS, &["rkt"], &[], &["racket"]),
    plain("requirements", HASH, &[], &["requirements.txt", "constraints.txt"], &[]),
    plain("restructuredtext", CommentMark::Line(".."), &["rst", "rest"], &[], &[]),
    plain("robots", HASH, &[], &["robots.txt"], &[]),
    quoting(
        &lexer_rules::RUBY,
        plain(
            "ruby",
            HASH,
            &["rb", "rake", "gemspec", "ru"],
            &["Gemfile", "Rakefile", "Vagrantfile", "Podfile", "Fastfile", "Guardfile", "Brewfile"],
            &["ruby", "jruby"],
        ),
    ),
    known("rust", SLASHES, Sections::Braces(&lexer_rules::RUST), &["rs"], &[], &["rust-script"]),
    plain("sass", SLASHES, &["sass"], &[], &[]),
    known(
        "scala",
        SLASHES,
        Sections::Braces(&lexer_rules::SCALA),
        &["scala", "sc", "sbt"],
        &[],
        &["scala", "amm"],
    ),
    plain("scheme", SEMICOLONS, &["scm", "ss", "sld"], &[], &["guile"]),
    known("scss", SLASHES, Sections::Braces(&lexer_rules::SCSS), &["scss"], &[], &[]),
    plain("sed", HASH, &["sed"], &[], &["sed"]),
    known(
        "shell",
        HASH,
        Sections::Braces(&lexer_rules::SHELL),
        &["sh", "bash", "zsh", "ksh", "bats", "ebuild"],
        &[
            ".bashrc",
            ".bash_profile",
            ".bash_aliases",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            "PKGBUILD",
        ],
        &["sh", "bash", "zsh", "ksh", "dash", "ash"],
    ),
    plain("solidity", SLASHES, &["sol"], &[], &[]),
    quoting(&lexer_rules::SQL, plain("sql", DASHES, &["sql", "psql", "ddl"], &[], &[])),
    plain("ssh-config", HASH, &[], &["ssh_config", "sshd_config", "authorized_keys", "known_hosts"], &[]),
    plain("standard-ml", ML_BLOCK, &["sml", "sig"], &[], &[]),
    plain("stylus", SLASHES, &["styl"], &[], &[]),
    mixed("svelte", Dialect::Svelte, &["svelte"]),
    known("swift", SLASHES, Sections::Braces(&lexer_rules::SWIFT), &["swift"], &[], &["swift"]),
    plain("tcl", HASH, &["tcl", "tk"], &[], &["tclsh", "wish", "expect"]),
    plain("thrift", SLASHES, &["thrift"], &[], &[]),
    quoting(
        &lexer_rules::TOML,
        entries(
            EntryFormat::Toml,
            plain("toml", HASH, &["toml"], &["Cargo.lock", "poetry.lock", "Pipfile"], &[]),
        ),
    ),
    around(
        Mixture::Elements,
        known(
            "typescript",
            SLASHES,
            Sections::Braces(&lexer_rules::TYPESCRIPT),
            &["ts", "mts", "cts", "tsx"],
            &[],
            &["deno", "ts-node", "tsx"],
        ),
    ),
    plain("typst", SLASHES, &["typ"], &[], &[]),
    plain("vala", SLASHES, &["vala", "vapi"], &[], &[]),
    plain("vb", QUOTE, &["vb", "vbs", "bas"], &[], &[]),
    plain("verilog", SLASHES, &["v", "vh", "sv", "svh"], &[], &[]),
    plain("vhdl", DASHES, &["vhd", "vhdl"], &[], &[]),
    plain("vim", CommentMark::Line("\""), &["vim"], &[".vimrc", "_vimrc"], &[]),
    mixed("vue", Dialect::Vue, &["vue"]),
    known("wit", SLASHES, Sections::Braces(&lexer_rules::WIT), &["wit"], &[], &[]),
    Language {
        blocks: Some(Dialect::Xml),
        ..plain(
            "xml",
            XML,
            &[
                "xml",
                "xsd",
                "xsl",
                "xslt",
                "svg",
                "plist",
                "csproj",
                "vbproj",
                "fsproj",
                "props",
                "targets",
                "resx",
                "xaml",
                "rss",
                "atom",
                "pom",
                "wsdl",
                "storyboard",
                "xib",
            ],
            &[],
            &[],
        )
    },
    quoting(
        &lexer_rules::YAML,
        entries(
            EntryFormat::Yaml,
            plain("yaml", HASH, &["yaml", "yml"], &[".clang-format", ".clang-tidy"], &[]),
        ),
    ),
    known("zig", SLASHES, Sections::Braces(&lexer_rules::ZIG), &["zig", "zon"], &[], &[]),
];

/// A kind of file without comments, which is no [`Language`].
#[derive(Debug, Clone, Copy)]
pub struct DataFormat {
    /// Its lower-case name.
    pub name: &'static str,
    /// Extensions after the last dot, in lower case.
    pub extensions: &'static [&'static str],
    /// Complete file names.
    pub files: &'static [&'static str],
    /// The kind of its sections.
    pub sections: Sections,
}

/// All known formats without comments.
pub const DATA_FORMATS: &[DataFormat] = &[DataFormat {
    name: "json",
    extensions: &["json", "webmanifest", "geojson", "ipynb", "har"],
    files: &["composer.lock", "flake.lock", "Pipfile.lock", ".babelrc"],
    sections: Sections::Entries(EntryFormat::Json),
}];

/// The sections of a file by its name and first bytes.
pub fn sections_of_file(name: &str, head: &[u8]) -> Sections {
    let extension = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    let is = |format: &&DataFormat| {
        format.files.contains(&name) || format.extensions.iter().any(|own| extension.as_deref() == Some(own))
    };
    match DATA_FORMATS.iter().find(is) {
        Some(format) => format.sections,
        None => of_file(name, head).map_or(Sections::Unknown, |language| language.sections),
    }
}

/// The language with this name or extension.
pub fn named(syntax: &str) -> Option<&'static Language> {
    let wanted = syntax.to_ascii_lowercase();
    let by_name = LANGUAGES.binary_search_by(|language| language.name.cmp(&wanted)).ok();
    by_name.map(|at| &LANGUAGES[at]).or_else(|| by_extension(wanted.strip_prefix('.').unwrap_or(&wanted)))
}

/// The language of a file by its name and first bytes.
pub fn of_file(name: &str, head: &[u8]) -> Option<&'static Language> {
    by_file_name(name)
        .or_else(|| name.rsplit_once('.').and_then(|(_, end)| by_extension(&end.to_ascii_lowercase())))
        .or_else(|| interpreter(head).and_then(|program| by_interpreter(&program)))
}

/// All values of `syntax`: names and extensions.
pub fn words() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().flat_map(|language| language.extensions.iter().copied().chain([language.name]))
}

/// The names of languages and formats with sections.
pub fn with_sections() -> impl Iterator<Item = &'static str> {
    let languages = LANGUAGES.iter().filter(|language| !matches!(language.sections, Sections::Unknown));
    languages.map(|language| language.name).chain(DATA_FORMATS.iter().map(|format| format.name))
}

fn by_file_name(name: &str) -> Option<&'static Language> {
    let is_whole = |language: &&Language| language.files.contains(&name);
    // `Dockerfile.dev`, `.env.local`. A file's own extension goes first.
    let is_more = |language: &&Language| {
        language.files.iter().any(|file| {
            let rest = name.strip_prefix(file).and_then(|rest| rest.strip_prefix('.'));
            !file[1..].contains('.') && rest.is_some_and(|rest| by_extension(rest).is_none())
        })
    };
    LANGUAGES.iter().find(is_whole).or_else(|| LANGUAGES.iter().find(is_more))
}

fn by_extension(extension: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.extensions.contains(&extension))
}

fn by_interpreter(program: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.interpreters.contains(&program))
}

/// The program in a line such as `#!/usr/bin/env -S python3.12 -u`, in lower case, without version.
fn interpreter(head: &[u8]) -> Option<String> {
    let line = head.strip_prefix(b"#!")?;
    let line = line.split(|byte| matches!(byte, b'\n' | b'\r')).next()?;
    let line = std::str::from_utf8(line).ok()?;
    let base = |word: &str| word.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let mut words = line.split_ascii_whitespace();
    let mut program = base(words.next()?);
    if program == "env" {
        // Skips options of `env` and variables.
        program = base(words.find(|word| !word.starts_with('-') && !word.contains('='))?);
    }
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    (!plain.is_empty()).then(|| plain.to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_table_is_sorted_and_says_everything_once() {
        assert!(LANGUAGES.is_sorted_by(|a, b| a.name < b.name));
        assert!(LANGUAGES.len() >= 40);
        let mut seen = BTreeMap::new();
        for language in LANGUAGES {
            let words = language.extensions.iter().map(|word| ("extension", *word));
            let words = words.chain(language.files.iter().map(|word| ("file", *word)));
            for word in words.chain(language.interpreters.iter().map(|word| ("interpreter", *word))) {
                let before = seen.insert(word, language.name);
                assert_eq!(before, None, "{word:?} is of {} too", language.name);
            }
            for word in language.extensions.iter().chain(language.interpreters) {
                assert_eq!(word.to_ascii_lowercase(), **word, "{}", language.name);
            }
            // An extension of another language would hide such a name.
            let other = by_extension(language.name).map(|other| other.name);
            assert!(other.is_none_or(|other| other == language.name), "{} and {other:?}", language.name);
            assert!(!language.name.is_empty() && language.name.to_ascii_lowercase() == language.name);
        }
    }

    #[test]
    fn a_backslash_joins_lines_of_c_and_the_like() {
        for (language, lines, expected) in [
            ("c", "#define A \\\n", true),
            ("cpp", "f();\n// a \\ \r\n", true),
            ("c", "a \\\n\n", false),
            ("c", "a \\\nb\n", false),
            ("c", "'\\'\n", false),
            ("cs", "// a \\\n", false),
            ("rust", "// a \\\n", false),
            ("mm", "// a \\\n", true),
            ("glsl", "#define a \\\r\n", true),
            ("make", "a = b \\\n", true),
            ("tcl", "puts \\\n", true),
            ("sh", "# a \\\n", false),
        ] {
            assert_eq!(named(language).unwrap().joins(lines.as_bytes()), expected, "{language} {lines:?}");
        }
    }

    #[test]
    fn a_line_of_code_joins_the_next_one() {
        for (language, code, expected) in [
            ("sh", "echo \\\n", Some("\\")),
            ("py", "a = b \\\r\n", Some("\\")),
            ("sh", "echo \\ \n", None),
            ("sh", "echo \\\\\n", None),
            ("bat", "echo ^^\r\n", None),
            ("dockerfile", "RUN a \\\n# b\n", Some("\\")),
            ("dockerfile", "# syntax=x\r\n# Escape = `\r\nRUN a `\r\n", Some("`")),
            ("dockerfile", "# escape=`\nRUN a \\\n", None),
            ("dockerfile", "# a note\n\n# escape=`\nRUN a `\n", None),
            ("sh", "# a \\\n", None),
            ("sh", "a \\\nb\n", None),
            ("ps1", "a `\n", Some("`")),
            ("bat", "a ^\r\n", Some("^")),
            ("vb", "a _\n", Some(" _")),
            ("vb", "a_\n", None),
            ("service", "a=b \\\n", Some("\\")),
            ("rs", "a \\\n", None),
        ] {
            let (language, head) = (named(language).unwrap(), code.as_bytes());
            assert_eq!(language.continues(code.as_bytes(), head), expected, "{} {code:?}", language.name);
        }
        for (_, names) in CONTINUING {
            assert!(names.iter().all(|name| named(name).is_some_and(|language| language.name == *name)));
        }
    }

    #[test]
    fn every_mark_can_be_read_back() {
        for language in LANGUAGES {
            let marks = match language.mark {
                CommentMark::Line(mark) => vec![mark],
                CommentMark::Around(around) => vec![around.open, around.close],
            };
            for mark in marks {
                assert!(!mark.is_empty() && mark.is_ascii(), "{}", language.name);
                assert!(!mark.contains(char::is_whitespace), "{}", language.name);
            }
        }
    }

    #[test]
    fn files_are_recognised_by_name_by_extension_and_by_their_first_line() {
        for (name, head, expected) in [
            ("main.rs", "", Some("rust")),
            ("MAIN.RS", "", Some("rust")),
            ("a.b.py", "", Some("python")),
            ("Makefile", "", Some("makefile")),
            ("Makefile.am", "", Some("makefile")),
            ("Dockerfile", "", Some("dockerfile")),
            ("Dockerfile.dev", "", Some("dockerfile")),
            ("Dockerfile.md", "", Some("markdown")),
            ("CMakeLists.txt", "", Some("cmake")),
            ("notes.txt", "", None),
            ("txt", "", None),
            ("requirements.txt", "", Some("requirements")),
            (".gitignore", "", Some("gitignore")),
            (".env.local", "", Some("env")),
            (".bashrc", "", Some("shell")),
            ("tsconfig.json", "", Some("jsonc")),
            ("package.json", "", None),
            ("run", "#!/bin/sh\n", Some("shell")),
            ("run", "#!/usr/bin/env python3\r\n", Some("python")),
            ("run", "#! /usr/bin/env -S LANG=C python3.12 -u\n", Some("python")),
            ("run.py", "#!/bin/sh\n", Some("python")),
            ("run.xyz", "#!/usr/bin/env node", Some("javascript")),
            ("run", "#!/usr/bin/env\n", None),
            ("run", "#!", None),
            ("run", "#!/bin/3\n", None),
            ("run", "echo\n", None),
            ("", "", None),
            (".", "", None),
        ] {
            let found = of_file(name, head.as_bytes()).map(|language| language.name);
            assert_eq!(found, expected, "{name:?} {head:?}");
        }
        assert_eq!(of_file("run", b"#!/bin/\xFF\n").map(|language| language.name), None);
    }

    #[test]
    fn formats_without_comments_are_no_languages_and_have_sections() {
        for format in DATA_FORMATS {
            assert!(named(format.name).is_none());
            assert!(format.extensions.iter().all(|word| by_extension(word).is_none()), "{}", format.name);
            let is_other = |file| LANGUAGES.iter().any(|language| language.files.contains(file));
            assert!(!format.files.iter().any(is_other), "{}", format.name);
        }
        for (name, expected) in [
            ("package.json", Some(EntryFormat::Json)),
            ("A.JSON", Some(EntryFormat::Json)),
            ("tsconfig.json", Some(EntryFormat::Json)),
            ("hosts.json", Some(EntryFormat::Json)),
            ("composer.lock", Some(EntryFormat::Json)),
            ("Pipfile.lock", Some(EntryFormat::Json)),
            ("Cargo.lock", Some(EntryFormat::Toml)),
            ("a.yml", Some(EntryFormat::Yaml)),
            ("Makefile.am", Some(EntryFormat::Makefile)),
            ("Dockerfile.dev", Some(EntryFormat::Dockerfile)),
            ("setup.cfg", Some(EntryFormat::Ini)),
            (".editorconfig", Some(EntryFormat::Ini)),
            (".gitmodules", Some(EntryFormat::JoinedIni)),
            ("a.service", Some(EntryFormat::JoinedIni)),
            ("a.txt", None),
            ("json", None),
        ] {
            let found = match sections_of_file(name, b"") {
                Sections::Entries(format) => Some(format),
                _ => None,
            };
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn a_syntax_is_a_name_or_an_extension() {
        for (syntax, expected) in [
            ("rust", Some("rust")),
            ("Rust", Some("rust")),
            ("rs", Some("rust")),
            (".rs", Some("rust")),
            ("c++", Some("c++")),
            ("c#", Some("c#")),
            ("dockerfile", Some("dockerfile")),
            ("requirements", Some("requirements")),
            ("json", None),
            ("", None),
            (".", None),
        ] {
            assert_eq!(named(syntax).map(|language| language.name), expected, "{syntax:?}");
        }
        for word in words() {
            assert!(named(word).is_some(), "{word}");
        }
    }
}
