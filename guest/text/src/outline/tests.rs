//! Sections in every language.

mod entries;
mod laws;
mod members;

use super::{OutlineProblem, Sections, find, lead, list as outline, stands_alone};
use crate::languages::{DATA_FORMATS, named};

fn sections(language: &str) -> Sections {
    let format = DATA_FORMATS.iter().find(|format| format.name == language).map(|format| format.sections);
    format.unwrap_or_else(|| named(language).unwrap().sections)
}

fn list(wanted: &[&str]) -> Vec<String> {
    wanted.iter().map(|name| (*name).to_owned()).collect()
}

/// The section must be the text between `»` and `«`.
fn check(language: &str, wanted: &[&str], marked: &str) {
    let text = marked.replace(['»', '«'], "");
    let start = marked.find('»').unwrap();
    let end = marked.find('«').unwrap() - '»'.len_utf8();
    let found = find(text.as_bytes(), sections(language), &list(wanted));
    let shown = found.clone().map(|found| &text[found]);
    assert_eq!(shown, Ok(&text[start..end]), "{language} {wanted:?}");
    assert_eq!(found, Ok(start..end), "{language} {wanted:?}");
    for end_of_lines in ["\r\n", "\r"] {
        let other = text.replace('\n', end_of_lines);
        let found = find(other.as_bytes(), sections(language), &list(wanted));
        let expected = text[start..end].replace('\n', end_of_lines);
        assert_eq!(found.map(|found| &other[found]), Ok(&expected[..]), "{language} {wanted:?}");
    }
}

#[test]
fn a_heading_goes_to_the_next_one_of_its_level_or_above() {
    let wanted: &[(&[&str], &str)] = &[
        (&["B"], "# A\n\n»## B\n\nb\n\n### C\n\nc\n«## D\nd\n"),
        (&["## B"], "# B\n\n»## B\nb\n«# B\n"),
        (&["D"], "# A\n## B\n»## D\nd"),
        (&["A"], "intro\n»# A\n## B\ntext\n«# E\n"),
        (&["A", "C"], "# A\n## B\n»### C\nc\n«## D\n# E\n### C\n"),
        (&["E", "C"], "# A\n### C\n# E\n»### C\nc\n"),
        (&["A"], "»# A\n```\n# B\n```\n~~~ text\n# B\n```\n~~~\n    # B\n<!--\n# B\n-->\n«# B\n"),
        (&["B"], "---\ntitle: x\n# B\n---\n»# B\n"),
        (&["A"], "»# A\n\n```sh\n# no end\n"),
        (&["Setext"], "»Setext\n===\n\ntext\n\nSub\n---\n\nmore\n\n«Other\n=====\n"),
        (&["Two lines"], "text\n\n»Two\nlines\n---\ntext\n«# A\n"),
        (&["A"], "»# A\n- item\n---\n\n> quote\n---\n1. one\n---\n«# B\n"),
        (&["Trailing"], "»## Trailing ##\n«## C#\n"),
        (&["C#"], "## Trailing ##\n»## C#\n"),
        (&["Mit  Leer"], "#\tx\n»#   Mit Leer\n«#\n"),
        (&["#hash"], "#hash\n\n»# #hash\n«# x\n"),
        (&["A"], "»## A\n\n- one\n  more\n---\nrest\n\n«## B\n"),
        (&["A"], "»## A\n\n- one\nmore\n---\n===\n«## B\n"),
        (&["A"], "»## A\n> quote\nlazy\n---\n> # no\n>\n> no\n> ===\n«## B\n"),
        (&["A"], "»## A\n- one\n\n  # no\n\n  no\n  --\n\n-   # no\n    # no\n1. > # no\n«## B\n"),
        (&["A"], "»## A\n- ```\n  # no\n\n  # no\n  ```\n> ```\n> # no\n«# B\n```\n# C\n```\n"),
        (&["A"], "»# A\n\n1.  one\n\n    # no\n\t# no\n\n     text\n    ---\n«# B\n"),
        (&["A"], "»# A\n-\n  # no\n\n-\n\n«  # B\n"),
        (&["A"], "»# A\n\n***\n- - -\n* * *\n-\t# no\n«# B\n"),
        (&["A"], "»# A\n[a]: /x 'y'\n===\n\n[b]: /y\n«[c]\n===\n"),
        (&["A"], "»# A\n\n[a]:\n/u\n---\nrest\n"),
        (&["A"], "»# A\n\n[a\\]]: <u v>\n  'b\n c'\n---\nrest\n"),
        (&["A"], "»# A\n\n[a]: /u(b)\n[b]:\n/v (t)\n---\nrest\n"),
        (&["A"], "»# A\n\n«[f\\]: /u\n===\n"),
        (&["A"], "»# A\n\n«[f]: /u)\n===\n"),
        (&["A"], "»# A\n\n[f]: /u\n«'g' h\n===\n"),
        (&["A"], "»# A\n\n«[f]: /u 'g' h\n===\n"),
        (&["one 2. two"], "»one\n2. two\n---\ntext\n«# B\n"),
        (&["A"], "»# A\ntext\n1. one\n---\n«# B\n"),
        (&["A"], "»# A\ntext\n\n    code\n===\n\ntext\n<!-- x -->\n---\n«# B\n"),
        (&["A"], "»## A\n<pre>\n\n# no\n\n</pre>\n<Style>\n# no </STYLE>\n«# B\n"),
        (&["A"], "»# A\n<div>\n# no\n</div>\n# no\n\n«# B\n"),
        (&["A"], "»# A\n<details open>\n# no\nno\n---\n\n«# B\n"),
        (&["A"], "»# A\n<?x\n# no\n?>\n<!D\n# no\n>\n<![CDATA[\n# no\n]]>\n«# B\n"),
        (&["A"], "»# A\n<my-tag a='>'>\n# no\n\n<b>text</b>\n«# B\n"),
        (&["A"], "»# A\ntext\n<my-tag>\n«# B\n"),
        (&["A"], "»# A\n<https://x.org>\n«# B\n"),
        (&["text <b>"], "»text\n<b>\n---\ntext\n«# B\n"),
    ];
    for (names, text) in wanted {
        let text = if text.contains('«') { (*text).to_owned() } else { format!("{text}«") };
        check("markdown", names, &text);
    }
}

#[test]
fn names_in_braces_are_found_in_every_language() {
    let cases: &[(&str, &[&str], &str)] = &[
        (
            "rust",
            &["b"],
            "fn a() {\n}\n\n/// fn b() {\n#[test]\n»pub fn b<'a>(x: &'a str) -> char\nwhere\n    str: Sized,\n{\n    let c = '{'; // }\n    let s = \"}\\\"}\";\n    r#\"}\"}\"#\n}\n«fn c() {}\n",
        ),
        ("rust", &["Foo"], "»pub struct Foo {\n    a: u8,\n}\n«\nimpl Foo {\n    fn new() {}\n}\n"),
        (
            "rust",
            &["Foo", "new"],
            "struct Foo;\n\nimpl Foo {\n»    fn new(a: &'static str) {\n        x();\n    }\n«}\nimpl Bar {\n    fn new() {}\n}\n",
        ),
        ("rust", &["impl Display for Foo"], "impl Foo {}\n»impl<T: X> Display for Foo<T> {\n}\n«"),
        (
            "rust",
            &["LIMIT"],
            "const A: u8 = 1;\n»pub const LIMIT: [u8; 2] = [\n    1, 2,\n];\n«fn x(p: *const LIMIT) {}\n",
        ),
        ("rust", &["tests", "works"], "fn works() {}\nmod tests {\n»    fn works() {\n    }\n«}\n"),
        ("rust", &["m"], "»macro_rules! m {\n    ($x:expr) => {{ $x }};\n}\n«"),
        ("rust", &["work"], "»async unsafe fn work() {\n    match x { A { b } => {} _ => {} }\n}\n«"),
        (
            "c",
            &["main"],
            "#include <stdio.h>\n#define X {\nint main(void);\n»int main(int argc, char **argv)\n{\n\tprintf(\"}\");\n\tif (x) { y(); } else { z(); }\n}\n«\nint f(void) { return 0; }\n",
        ),
        ("c", &["point"], "struct point *make(struct point *p) {\n}\n»struct point {\n\tint x;\n};\n«"),
        ("c", &["make"], "»static struct point *make(struct point *p) {\n}\n«struct make;\n"),
        (
            "c++",
            &["Shape", "area"],
            "namespace geo {\nclass Shape : public Base {\npublic:\n  Shape() : x(1), y{2} {}\n»  virtual double area() const override {\n    return R\"x(})x\" + 1'000'000;\n  }\n«};\n}\n",
        ),
        ("c++", &["Shape::~Shape"], "»Shape::~Shape() {\n}\n«"),
        ("c++", &["area"], "»double Shape::area() {\n}\n«"),
        (
            "c#",
            &["Foo", "Bar"],
            "namespace N {\n  public class Foo : IFoo {\n    string s = @\"C:\\\";\n    [Test]\n»    public async Task<int> Bar<T>(int a) where T : class, new()\n    {\n      if (a > 1) { return $\"{a}\"; }\n    }\n«  }\n}\n",
        ),
        (
            "java",
            &["A", "run"],
            "@interface X {}\npublic class A<T extends B> implements C {\n  @Override @Foo(a = \"{\")\n»  public void run(int x) throws E {\n    new Thread() { public void go() {} };\n    for (;;) { }\n  }\n«  void stop() {}\n}\n",
        ),
        ("java", &["E"], "»enum E {\n  A, B;\n}\n«"),
        (
            "javascript",
            &["two"],
            "function one() {\n  return `}${'}'}` + /}\\/[/}]/.source\n}\n»export default async function two(a, { b }) {\n}\n«",
        ),
        (
            "javascript",
            &["Foo", "bar"],
            "class Foo extends Bar {\n  constructor(x) { super(x) }\n  #p = 1\n»  static async bar(a) {\n    if (a) { b() }\n  }\n«  baz() {}\n}\n",
        ),
        (
            "javascript",
            &["handler"],
            "const x = 1\n»const handler = async (req, res) => {\n  res.end()\n}\n«handler2(function () {})\n",
        ),
        (
            "javascript",
            &["onClick"],
            "export default {\n  data() { return { a: 1 } },\n»  onClick: function (e) {\n    e()\n  },\n«  name: 'x',\n}\n",
        ),
        ("javascript", &["render"], "module.exports = {\n  a: f(1, 2), b: 2,\n»  render() {\n  },\n«}\n"),
        ("javascript", &["list"], "»const list = [\n  1,\n]\n«foo()\n"),
        ("javascript", &["App"], "»function App() {\n  return <p>Don't {x}</p>\n}\n«"),
        ("typescript", &["Foo"], "»export interface Foo<T> {\n  a: { b: string }\n}\n«type Bar = Foo\n"),
        (
            "typescript",
            &["Svc", "load"],
            "class Svc {\n  constructor(private a: A) {}\n»  async load<T>(id: string): Promise<{ x: T }> {\n    return { x: 1 }\n  }\n«}\n",
        ),
        ("typescript", &["make"], "»function make(): { a: number } {\n  return { a: 1 }\n}\n«"),
        (
            "go",
            &["Server"],
            "package main\n\n»type Server struct {\n\tx int\n}\n«\nfunc (s *Server) Run() error {\n\treturn nil\n}\n",
        ),
        (
            "go",
            &["Run"],
            "var x = `}`\n»func (s *Server) Run(a interface{}) interface{} {\n\tgo func() { x() }()\n\tif a := b(); a {\n\t}\n\treturn '}'\n}\n«func main() {}\n",
        ),
        ("go", &["Any"], "»func Any() interface{} {\n\treturn 1\n}\n«"),
        ("go", &["limit"], "const other = 1\n»const limit = 10\n«var y = 1\n"),
        (
            "php",
            &["A", "go"],
            "<p>Don't {</p>\n<?php\nclass A extends B {\n  #[X]\n»  public function go(int $a): ?string {\n    $s = <<<EOT\n  }\nEOT;\n    $f = function ($x) use ($s) { return 1; };\n  }\n«}\n?>\n<b>}</b>\n",
        ),
        (
            "kotlin",
            &["Foo", "bar"],
            "data class Foo(val x: Int) : Base() {\n»    override fun <T> bar(a: List<T>): Int {\n        return a.map { it }.size\n    }\n«    val y = 1\n}\n",
        ),
        ("kotlin", &["twice"], "»fun Int.twice() = this *\n    2\n«fun once() = 1\n"),
        (
            "swift",
            &["Foo", "bar"],
            "struct Foo {\n    let x = 1\n}\nextension Foo: Bar {\n»    func bar<T>(_ a: T) -> Int\n        where T: X {\n        if let y = a { return 1 }\n        return \"\\(a)}\".count\n    }\n«}\n",
        ),
        (
            "scala",
            &["Main", "run"],
            "object Main extends App {\n»  def run(x: Int): Unit = {\n    x match { case 1 => () }\n  }\n«  def stop = 1\n}\n",
        ),
        ("scala", &["Node"], "»case class Node(a: Int) {\n}\n«"),
        (
            "dart",
            &["Foo", "build"],
            "class Foo extends Bar {\n  @override\n»  Widget build(BuildContext c) {\n    return X(onTap: () { y(); });\n  }\n«}\n",
        ),
        ("css", &[".a > .b"], ".a { color: red }\n».a   >\n.b {\n  content: \"}\";\n}\n«"),
        (
            "css",
            &["@media (min-width: 1px)", ".x"],
            ".x {}\n@media (min-width: 1px) {\n»  .y, .x {\n  }\n«}\n",
        ),
        ("scss", &[".a", "&:hover"], ".a {\n  color: red; // }\n»  &:hover {\n    w: #{$x};\n  }\n«}\n"),
        (
            "shell",
            &["build"],
            "# build() {\necho \"${x} } build() {\"\n»build() {\n  cat <<-'EOF'\n\t}\n\tEOF\n  if [ \"$#\" -gt 0 ]; then echo '}'; fi\n  case $1 in a) x;; esac\n}\n«other() { :; }\n",
        ),
        ("shell", &["my-func"], "»function my-func {\n  x=${y#z}\n}\n«"),
        (
            "graphql",
            &["User"],
            "# type User {\n»type User implements Node {\n  id: ID!\n}\n«type Other { a: Int }\n",
        ),
        ("protobuf", &["User"], "»message User {\n  string name = 1;\n}\n«"),
        (
            "c",
            &["foo"],
            "»typedef struct {\n\tint a;\n} foo;\n«typedef struct bar {\n} bar;\nfoo make(foo *x) {\n}\n",
        ),
        ("c", &["bar"], "typedef struct {\n} foo;\n»typedef struct bar {\n} bar;\n«"),
        (
            "c++",
            &["C", "operator=="],
            "class C {\n»  bool operator==(const C& o) const {\n    return x == o.x;\n  }\n«  C& operator=(const C&) { }\n};\n",
        ),
        ("c++", &["C::operator[]"], "»int C::operator[](int at) {\n}\n«"),
        ("go", &["A"], "type (\n»\tA struct {\n\t\tx int\n\t}\n«\tB = int\n)\nfunc f() {\n}\n"),
        ("go", &["type B"], "type (\n\tA struct {\n\t}\n»\tB = int\n«\tC func(x int)\n)\n"),
        (
            "swift",
            &["A", "init"],
            "class A: B {\n»    public init?(a: Int) {\n        super.init(a) { x }\n    }\n«    deinit {\n    }\n}\n",
        ),
        (
            "c#",
            &["C", "P"],
            "class C {\n  int a = new D { P = 1 };\n»  public List<int[]> P {\n    get { return x is E ? 1 : 2; }\n    set { if (y) { } }\n  } = 1;\n«  void M() { }\n}\n",
        ),
        ("wit", &["edit", "write"], "interface edit {\n»  record write {\n    a: u8,\n  }\n«}\n"),
        ("c++", &["W"], "»W::W()\n    : a{1}\n    , b{2}\n{\n    run();\n}\n«void f() {\n}\n"),
        ("c++", &["Foo"], "»Foo::Foo() : a{1}, b{2} {\n    run();\n}\n«int f() {\n}\n"),
        (
            "c++",
            &["C", "C"],
            "class C {\npublic:\n»  C(int x) noexcept : B<int>{x}, N::D{}, e(1),\n      f{\n        1 } {\n    run();\n  }\n«  int f{1};\n};\n",
        ),
        ("c++", &["C"], "»C<T>::C() try : a{1} {\n} catch (...) {\n  run();\n}\n«int f() {\n}\n"),
        ("c++", &["f"], "»int f(auto t) requires requires { t.x; } && true {\n  run();\n}\n«int g() {\n}\n"),
        (
            "dart",
            &["A", "A"],
            "class A {\n»  A(this.x) : m = {}, s = <int>{1}, n = x {\n    run();\n  }\n«  f() {\n  }\n}\n",
        ),
        (
            "typescript",
            &["f"],
            "»function f(): { a: number } | { b: X }[] {\n  return y\n}\n«function g() {\n}\n",
        ),
        ("typescript", &["T"], "»type T = {\n  a: number\n} & {\n  b: string\n}\n«type U = {\n} |\n  X\n"),
        (
            "typescript",
            &["T"],
            "»type T =\n  | {\n    a: number\n  }\n  | {\n    b: string\n  }\n«type U = X\n",
        ),
        ("javascript", &["x"], "»const x = {\n  a: 1,\n}.map({\n  b: 2,\n})\n«const y = 1\n"),
        ("javascript", &["x"], "»const x = y ? {\n  a: 1,\n} : {\n  b: 2,\n}\n«f()\n"),
        ("javascript", &["A", "f"], "class A {\n»  f() {\n  }\n«  *g() {\n  }\n  [h]() {\n  }\n}\n"),
        ("kotlin", &["x"], "»val x = if (a) {\n  1\n} else {\n  2\n}\n«val y = 1\n"),
        ("kotlin", &["f"], "»fun f() = try {\n  1\n}\ncatch (e: E) {\n  2\n} finally {\n}\n«fun g() {\n}\n"),
        ("kotlin", &["x"], "»val x = y.map {\n  it\n}\n  .filter {\n    it > 1\n  } ?: z\n«val y = 1\n"),
        ("scala", &["f"], "»def f = if (a) {\n  1\n} else if (b) {\n  2\n} else {\n  3\n}\n«def g = {\n}\n"),
        ("swift", &["x"], "»let x = y.map {\n  $0\n}.filter {\n  $0 > 1\n}\n«func f() {\n}\n"),
        ("rust", &["A"], "»const A: u8 = if B {\n    1\n} else {\n    2\n};\n«fn b() {}\n"),
        ("rust", &["A"], "»static A: X = X {\n    a: 1,\n}\n.with(Y {\n    b: 2,\n});\n«fn b() {}\n"),
        ("rust", &["b"], "fn a() -> X {\n»    fn b() {\n    }\n«    &X {}\n}\n"),
        ("go", &["x"], "»var x = X{\n\ta: 1,\n}.With(Y{\n\tb: 2,\n})\n«func f() {\n}\n"),
        ("zig", &["f"], "»fn f() error{A}!void {\n    run();\n}\n«fn g() void {\n}\n"),
        (
            "c#",
            &["C", "P"],
            "class C {\n»  public List<int> P { get; set; } = new List<int> {\n    1,\n  };\n«  void M() { }\n}\n",
        ),
        ("css", &[".a"], "».a {\n}\n«.b {\n}\n& + .c {\n}\n"),
        ("shell", &["f"], "»f() {\n  :\n}\n«else\n"),
        ("go", &["Close#2"], "func (a *A) Close() {\n}\n»func (b *B) Close() {\n}\n«"),
        ("go", &["Close#1"], "»func (a *A) Close() {\n}\n«func (b *B) Close() {\n}\n"),
        ("go", &["B", "Close"], "type B struct {\n}\nfunc (a *A) Close() {\n}\n»func (b *B) Close() {\n}\n«"),
        ("go", &["B.Close"], "func (a *A) Close() {\n}\n»func (b *B[T]) Close() {\n}\n«"),
        ("go", &["(b *B) Close"], "func (a *A) Close() {\n}\n»func (b *B) Close() {\n}\n«"),
        ("go", &["A"], "»type A struct {\n}\n«func (a *A) Close() {\n}\n"),
        ("c++", &["B", "f"], "void A::f() {\n}\n»void B::f() {\n}\n«"),
        ("c++", &["f#2"], "void f(int) {\n}\n»void f(long) {\n}\n«"),
        ("rust", &["a#2", "b"], "mod a {\n    fn b() {}\n}\nmod a {\n»    fn b() {}\n«}\n"),
        ("go", &["B"], "var (\n\tA = 1\n»\tB = map[string]int{\n\t\t\"a\": 1,\n\t}\n«\tC int\n)\n"),
        ("go", &["const C"], "const (\n\tA = iota\n\tB\n»\tC\n«)\n"),
        ("c", &["y"], "»static const struct x y = {\n\t.a = 1,\n\t.b = { 2 },\n};\n«int z;\n"),
        ("c", &["names"], "»const char *names[] = {\n\t\"a\",\n};\n«int z;\n"),
        (
            "c",
            &["f"],
            "int g();\n»int f(a, b)\n\tint a;\n\tchar *b, c[2];\n{\n\treturn a;\n}\n«int h(void) {\n}\n",
        ),
        ("graphql", &["A"], "extend type A {\n  b: Int\n}\n»type A implements B & C {\n  c: Int\n}\n«"),
        ("graphql", &["extend type A"], "type A {\n  c: Int\n}\n»extend type A {\n  b: Int\n}\n«"),
        ("graphql", &["Date"], "»scalar Date\n«union U = A | B\n"),
        ("scala", &["A", "f"], "object A:\n»  def f(x: Int) =\n    g(x)\n«\n  def g(x: Int) =\n    x\n"),
        ("scala", &["A"], "»class A(x: Int):\n  def f =\n    x\n«\nclass B:\n  def g = 1\n"),
        ("zig", &["add"], "const std = @import(\"std\");\n»pub fn add(a: i32) i32 {\n    return a;\n}\n«"),
    ];
    for (language, wanted, text) in cases {
        let text = if text.contains('«') { (*text).to_owned() } else { format!("{text}«") };
        check(language, wanted, &text);
    }
}

#[test]
fn a_function_of_a_shell_ends_where_the_shell_has_it_end() {
    for line in [
        "echo ${#x} $# ${x#y} ${x##*/} a#b # }",
        "echo it\\'s \\{ \\} \\\"",
        "x=\"$(echo \"a { b\")\"",
        "x=\"${y:-\"}\"}\"",
        "x=${y:-{} z=${y:-'}'} w=\"${y#'}'}\" v=\"it's ${y:-it's}\"",
        "x=$'it\\'s {' y=`echo \"}\"` z=\"`echo \\\"}\\\"`\"",
        "x=$(case a in a) echo \"}\";; (b) :; esac)",
        "x=$((1 << 2)) y=$(( (1) << (2) )); ((x <<= 1)); for ((i = 0; i < 1; i++)); do :; done",
        "x=$( (cd /; echo '{') ) y=$((cd /; echo '{'); :)",
        "x=${y//\\}/} z=${a[1]#\"{\"} w=${a[$((1 + 1))]} v=${#a[@]} u=${!a}",
        "echo {a,b} {} x{ {x }x {{ }}",
        "x=$(cat <<A\n} it's {\nA\n)",
        "cat <<A - <<-'B C' <<\\D\n}\nA\n {\n\tB C\n}\nD",
        "read x <<<\"{\" < <(echo \"{\") >&2 2>&1 &>/dev/null",
        "[[ $x =~ ^[{](a|b)$ && ( $y < z ) ]] && { y; }",
        "( cd x; { z; } ); a=(x '{' # }\n) b=",
        "case $1 in\n (a) x ;;\n b | c) y ;&\n \\)) z ;;\n '{') { q; } ;;\n *) esac",
        "if a; then { b; } fi; while { c; }; do { d; } done",
        "a \\\n  b { c",
        "function inner { :; }; inner2 () ( x ); inner3()\n{ :\n}",
    ] {
        for (head, end) in [("n() {", "}"), ("function n {", "}"), ("n ()\n{", "}"), ("n() (", ")")] {
            let text = format!("x=\n»{head}\n{line}\n{end}\n«g() {{\n  v=1\n}}\n");
            check("shell", &["n"], &text);
            let text = format!("n() {{\n{line}\n}}\n»{head}\n  v=1\n{end}\n«g() {{ :; }}\n");
            check("shell", &["n"], &text.replacen("n()", "f()", 1));
        }
    }
    for (name, text) in [
        ("git/do+it", "»git/do+it() {\n  :\n}\n«"),
        ("f", "@test \"a {\" {\n  :\n}\n»f() {\n  :\n}\n«"),
        ("f", "»f() { echo a }\n«g() {\n  :\n}\n"),
        ("f", "»f() {echo a;}\n«g() {\n  :\n}\n"),
    ] {
        check("shell", &[name], text);
    }
}

#[test]
fn code_in_strings_ends_where_it_ends() {
    for (language, before, line, after) in [
        ("kotlin", "fun f() {", "\"${if (a) \"}\" else \"{\"} ${d[\"k\"] ?: \"{\"} $x {\"", "}"),
        ("kotlin", "fun f() {", "\"\"\"${\"\"\"}\"\"\"} \" { \"\"\"\"", "}"),
        ("swift", "func f() {", "\"\\(x ? \"}\" : \"{\") \\\" {\"", "}"),
        ("swift", "func f() {", "#\"\\( { \" \\#(d[\"}\"])\"# + \"\"\"\n { \"x\" \\(\"}\")\n\"\"\"", "}"),
        ("dart", "String f() {", "\"${x[\"}\"]}\" + '${y['{']}' + r'\\' + r\"${\"", "}"),
        ("dart", "String f() {", "r'\\'; '''${'''}'''} ' { '''", "}"),
        ("php", "<?php\nfunction f() {", "\"{$a[\"}\"]} {$b} ${c} { \\\" \" . '{'", "}"),
        ("zig", "fn f() void {", "const s =\n\\\\ } \"\n\\\\ { ' \n;", "}"),
        ("javascript", "function f() {", "`${`{`} ${{a: '}'}.a} \\` \\${ { ${`}${\"`\"}`} $`", "}"),
        ("javascript", "function f() {", "`${/[`}]/.test(x) ? /* } */ '`' : // `\n1}`", "}"),
        ("javascript", "function f() {", "if (x) /[}]/.test(y); z = y++ / 2 + '}' + 1 / 3", "}"),
        (
            "scala",
            "def f() = {",
            "s\"${if (x) \"{\" else \"\"}\" + \"${\" + s\"\"\"${\"}\"} \" {\"\"\"\"",
            "}",
        ),
        (
            "c#",
            "class C { void f() {",
            "$\"{(b ? \"}\" : \"{\")} {{ {d:hh':'mm} {x[\"k\"]}\" + @\"\"\"{\\\" + $@\"\"\"{x}\\\"",
            "} }",
        ),
        (
            "c#",
            "class C { void f() {",
            "var r = \"\"\"\n } \"\n\"\"\" + $$\"\"\"{ {{x[\"}\"]}} \"\" \"\"\" + '\"'",
            "} }",
        ),
    ] {
        let head = before.rfind('\n').map_or(0, |end| end + 1);
        let (first, head) = before.split_at(head);
        let text = format!("{first}»{head}\n  {line}\n{after}\n«fun g() {{ }}\n");
        check(language, &["f"], &text);
    }
    check(
        "typescript",
        &["B"],
        "function A() {\n  return <p>a ` b</p>\n}\n»function B() {\n  return <p>c ` d</p>\n}\n«function C() {}\n",
    );
    check("javascript", &["x"], "»const x = <a>\n  {y}\n  {z}\n</a>\n«const w = 1\n");
    for (wanted, text) in [
        (
            "a",
            "»def a():\n    x = f\"{d[\"}\"]} {{ {y:'>10} {z!r:{w}} # {f'{\"(\"}'}\"\n    y\n«def b(): pass\n",
        ),
        ("a", "»def a():\n    x = f'''{'(' # '''\n}''' + \"{\" + rf\"\\{'('}\"\n    y\n«def b(): pass\n"),
        ("a", "»def a():\n    x = 1 \\\n«\ndef b(): pass\n"),
    ] {
        check("python", &[wanted], text);
    }
    check(
        "c",
        &["f"],
        "#define A 3 /* two\n   != 0 */ \"/*\"\n#define B \"/*\"\n»int f(void) {\n}\n«int g(void) {\n}\n",
    );
}

#[test]
fn names_with_indented_blocks_are_found() {
    for (language, wanted, text) in [
        (
            "python",
            &["b"][..],
            "def a():\n    pass\n\n\n@wraps(a)\n»async def b(\n    x,\n):\n    \"\"\"\ndef b():\n    \"\"\"\n    if x:\n        return '''\nq'''\n\n    # the end\n«\n# other\ndef c(): pass\n",
        ),
        (
            "python",
            &["A", "run"],
            "class A(B):\n    x = {\n'a': 1}\n\n»    def run(self): return 1\n«\n    def stop(self):\n        pass\nclass B:\n    def run(self):\n        pass\n",
        ),
        ("python", &["class A"], "A = 1\n»class A:\n\tdef a(self):\n\t\tpass\n«\nA()\n"),
        ("python", &["LIMIT"], "import x\n»LIMIT = [\n    1,\n]\n«def f():\n    LIMIT = 2\n"),
        ("python", &["A", "x"], "class A:\n»    x: int = 1\n«    y = 2\n"),
        ("python", &["f"], "f = None\n\n»def f():\n    pass\n«"),
        ("python", &["a#2"], "a = 1\n»a = 2\n«a == 3\n"),
        ("python", &["f"], "»def f(): \\\n  return 1\n«x = \"def f():\"\n"),
        ("python", &["only"], "»def only():\n    '''Says it all.'''\n«"),
        ("gdscript", &["_ready"], "extends Node\n»func _ready() -> void:\n\tpass\n«\nfunc x():\n\tpass\n"),
    ] {
        check(language, wanted, text);
    }
}

#[test]
fn what_is_not_there_or_there_twice_is_told_with_what_is_near() {
    let rust = "fn one() {\n    fn inner() {}\n}\nfn two() {\n    fn inner() {}\n}\n";
    let missing = |found, near: &[&str]| OutlineProblem::Missing { found, near: list(near) };
    for (language, wanted, text, expected) in [
        ("rust", &["tow"][..], rust, missing(0, &[])),
        ("rust", &["tests_helper"], "fn test_helper() {}\n", missing(0, &["test_helper"])),
        ("rust", &["one", "iner"], rust, missing(1, &[])),
        ("rust", &["one", "Inner"], rust, missing(1, &["inner"])),
        ("rust", &["one", "inner", "x"], rust, missing(2, &[])),
        (
            "rust",
            &["inner"],
            rust,
            OutlineProblem::Several { name: "inner".to_owned(), count: 2, lines: vec![2, 5] },
        ),
        ("markdown", &["instalation"], "# Installation\n", missing(0, &["Installation"])),
        (
            "markdown",
            &["A"],
            "# A\r\n\r\n## B\r\n\r\n# A\r\n",
            OutlineProblem::Several { name: "A".to_owned(), count: 2, lines: vec![1, 5] },
        ),
        (
            "python",
            &["a"],
            "x\ndef a(): pass\ndef a(): pass\n",
            OutlineProblem::Several { name: "a".to_owned(), count: 2, lines: vec![2, 3] },
        ),
        ("rust", &["inner#3"], rust, missing(0, &["inner#1", "inner#2"])),
        ("rust", &["one#1", "x"], rust, missing(1, &[])),
        ("ruby", &["a"], "def a\nend\n", OutlineProblem::Unknown),
        ("rust", &["a"], "", missing(0, &[])),
        ("rust", &["a"], "fn a() {\n    x\nfn b() {}\n", OutlineProblem::Unclear { line: 1, doubt: 1 }),
        ("rust", &["a"], "fn a() {\n    \"}\n}\nfn b() {}\n", OutlineProblem::Unclear { line: 1, doubt: 2 }),
        ("rust", &["b"], "fn a() {\n    \"}\n}\nfn b() {}\n", OutlineProblem::Lost(2)),
        (
            "shell",
            &["f"],
            "f() {\n  echo \"a\n}\ng() {\n  :\n}\n",
            OutlineProblem::Unclear { line: 1, doubt: 2 },
        ),
        (
            "shell",
            &["f"],
            "f() {\n  cat <<EOF\n}\ng() {\n  :\n}\n",
            OutlineProblem::Unclear { line: 1, doubt: 2 },
        ),
        (
            "shell",
            &["f"],
            "f() {\n  if x; then {\n}\ng() {\n  :\n}\n",
            OutlineProblem::Unclear { line: 1, doubt: 1 },
        ),
        (
            "shell",
            &["f"],
            "f() {\n  echo a }\ng() {\n  :\n}\n",
            OutlineProblem::Unclear { line: 1, doubt: 2 },
        ),
        (
            "c",
            &["f"],
            "int f(void) {\n#ifdef A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\nint g(void) {\n}\n",
            OutlineProblem::Unclear { line: 1, doubt: 1 },
        ),
        ("python", &["b"], "def a():\n    x = (\n\ndef b():\n    pass\n", OutlineProblem::Lost(2)),
    ] {
        let found = find(text.as_bytes(), sections(language), &list(wanted));
        assert_eq!(found, Err(expected), "{language} {wanted:?}");
    }
}

/// Each line of an outline: `first-last depth name`.
fn outlined(language: &str, text: &str) -> Vec<String> {
    let listed = outline(text.as_bytes(), sections(language)).unwrap();
    let line = |one: &super::Definition| {
        format!("{}-{} {} {}", one.lines.start(), one.lines.end(), one.depth, one.name)
    };
    listed.iter().map(line).collect()
}

#[test]
fn an_outline_has_every_definition_with_its_lines() {
    for (language, text, expected) in [
        ("Markdown", "# A\n\n## B\nb\n\n# C ##\n", &["1-5 0 # A", "3-5 1 ## B", "6-6 0 # C"][..]),
        (
            "Rust",
            "mod a {\n    pub struct B<T>(T);\n    impl<T> From<T> for B<T> {\n        fn from(t: T) -> Self { B(t) }\n    }\n}\n",
            &["1-6 0 mod a", "2-2 1 struct B", "3-5 1 impl<T> From<T> for B<T>", "4-4 2 fn from"],
        ),
        (
            "Python",
            "class A:\n    x = 1\n    async def b(self):\n        pass\n",
            &["1-4 0 class A", "2-2 1 x", "3-4 1 def b"],
        ),
        (
            "C",
            "int a(void)\n{\n    if (b) {\n    }\n}\nstruct s {\n    int x;\n};\n",
            &["1-5 0 a", "6-8 0 struct s"],
        ),
        ("CSS", ".a, .b > c {\n}\n", &["1-2 0 .a, .b > c"]),
        (
            "TypeScript",
            "export class A {\n  b(): void {}\n}\nconst c = () => {\n}\n",
            &["1-3 0 class A", "2-2 1 b", "4-5 0 const c"],
        ),
        ("Go", "func (a *A) B() {\n}\n", &["1-2 0 (a *A) B"]),
        ("C", "static int\na(void)\n{\n}\nM(x)\nint b(void)\n{\n}\n", &["1-4 0 a", "6-8 0 b"]),
        ("C++", "template <class T>\nint a(T x) { return 1; }\n", &["1-2 0 a"]),
        (
            "Rust",
            "impl<'a> /* c */ A<'a> {\n    fn b(&self) {}\n}\n",
            &["1-3 0 impl<'a> A<'a>", "2-2 1 fn b"],
        ),
        ("Rust", "", &[]),
    ] {
        assert_eq!(outlined(language, text), expected, "{language}");
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(outlined(language, &crlf), expected, "{language}");
        // Each name finds its own lines.
        for one in outline(text.as_bytes(), sections(language)).unwrap() {
            let found = find(text.as_bytes(), sections(language), &list(&[&one.name]));
            assert_eq!(found, Ok(one.place), "{language} {}", one.name);
        }
    }
}

#[test]
fn comments_and_attributes_directly_above_belong_to_a_definition() {
    for (language, marked) in [
        ("Rust", "use a;\n\n»/// One.\n#[derive(\n    A,\n)]\n/* two */\n«fn b() {}\n"),
        ("Rust", "/// Apart.\n\n»«fn b() {}\n"),
        ("Rust", "const A: [u8; 1] = [1];\n»«fn b() {}\n"),
        ("Rust", "fn a() {\n    // c\n}\n»«fn b() {}\n"),
        ("Rust", "»// one\n// two\n«fn b() {}\n"),
        ("Python", "a(\n    1,\n)\n»@c(\n    2,\n)\n# d\n«def b(): pass\n"),
        ("C#", "class A {\n»    [Fact]\n    /// d\n«    void b() {}\n}\n"),
        ("TypeScript", "[a, b] = [b, a];\n»@C({\n  d: 1,\n})\n«class b {}\n"),
        ("Markdown", "text\n»«# b\n"),
        // No line above the mark belongs to a definition.
        ("shell", "#!/bin/sh\nset -e\n»«f() { :; }\n"),
        ("shell", "x=2\n»# c\n«f() { :; }\n"),
        ("PHP", "<?php\n»«function a() {}\n"),
        ("PHP", "<?php\n»/** d */\n#[A]\n«function a() {}\n"),
        ("C", "#include <x.h>\n#define N 3\n»«int a(void) { return 1; }\n"),
        ("C", "#ifdef X\n»/* d */\n«int a(void) { return 1; }\n#endif\n"),
        ("Rust", "#[x] const Q: u8 = 1;\n»«fn a() {}\n"),
        ("Rust", "»#[a] #[b(c)]\n«fn a() {}\n"),
        ("Rust", "//! crate doc\n»«fn a() {}\n"),
        ("Rust", "»/* c\n\n d */\n«fn a() {}\n"),
        ("Rust", "const X: u8 = 1; /* c\n d */\n»«fn a() {}\n"),
        ("Java", "class C {\n  @Autowired private Foo x;\n»  @Override\n«  void a() {}\n}\n"),
        ("C#", "[assembly: Foo]\n»[Fact, Trait(\"a\")]\n«class A {}\n"),
        ("CSS", "@import \"x.css\";\n»«.a { }\n"),
        ("Python", "»@dec(\n\n  1,\n)\n«def a(): pass\n"),
        ("Python", "#!/usr/bin/env python3\n# -*- coding: latin-1 -*-\n»«def a(): pass\n"),
        ("TypeScript", "»@Foo({\n a: 1,\n\n b: 2\n})\n«class A {}\n"),
        ("Kotlin", "@file:JvmName(\"a\")\n»@Ann\n«fun a() {}\n"),
    ] {
        let text = marked.replace(['»', '«'], "");
        let start = marked.find('»').unwrap();
        let section = marked.find('«').unwrap() - '»'.len_utf8();
        assert_eq!(lead(text.as_bytes(), section, sections(language)), start, "{language} {marked}");
    }
}

#[test]
fn a_line_with_two_definitions_belongs_to_neither() {
    for (text, name, expected) in [
        ("fn a() {} fn b() {}\nfn c() {}\n", "a", false),
        ("fn a() {} fn b() {}\nfn c() {}\n", "c", true),
        ("impl A {\n    fn b() {} }\n", "b", false),
        ("impl A {\n    fn b() {}\n}\n", "b", true),
        ("impl A { fn b() {} }\n", "b", false),
        ("mod a { fn b() {\n} }\n", "a", false),
    ] {
        let section = find(text.as_bytes(), sections("Rust"), &list(&[name])).unwrap();
        assert_eq!(stands_alone(text.as_bytes(), sections("Rust"), &section), expected, "{name}: {text}");
    }
}

/// A search that looks at every line above again would take hours.
#[test]
fn a_million_bytes_above_a_section_are_passed_once() {
    for (line, belongs) in [("// c\n", true), ("#[a]\n", true), ("/* c */\n", true), ("fn a() {}\n", false)] {
        let above = line.repeat((1 << 20) / line.len());
        let text = format!("{above}fn z() {{}}\n");
        let section = above.len()..text.len();
        let start = if belongs { 0 } else { section.start };
        assert_eq!(lead(text.as_bytes(), section.start, sections("Rust")), start, "{line:?}");
        assert!(stands_alone(text.as_bytes(), sections("Rust"), &section), "{line:?}");
    }
}
