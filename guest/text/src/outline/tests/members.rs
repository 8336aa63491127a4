//! Definitions after macros, and members that are one expression.

use super::{check, find, list, sections};
use crate::outline::OutlineProblem;

#[test]
fn functions_behind_macros_are_found_and_macros_are_none() {
    for (language, names, text) in [
        ("c", &["bar"][..], "EXPORT_SYMBOL(foo)\n»int bar(void)\n{\n\treturn 1;\n}\n«int x;\n"),
        ("c", &["bar"], "static DEFINE_MUTEX(lock)\n»static int bar(void)\n{\n}\n«"),
        ("c", &["bar"], "DEFINE_A(a)\nDEFINE_B(b, c)\n»static struct foo *bar(void)\n{\n}\n«"),
        ("c", &["bar"], "early_param(\"x\", foo)\n»static int __init bar(char *s)\n{\n}\n«"),
        ("c", &["bar"], "EXPORT(x) __attribute__((noinline))\n»int bar(void)\n{\n}\n«"),
        ("c", &["Init"], "»JNIEXPORT(a) Init(void)\n{\n}\n«"),
        ("c", &["foo"], "»int foo(void) __releases(a) __acquires(b)\n{\n}\n«"),
        ("c", &["foo"], "»int foo(void)\n\t__acquires(lock)\n{\n}\n«"),
        ("c++", &["foo"], "»void foo() const override GUARDED(x)\n{\n}\n«"),
        ("c++", &["Foo"], "»Foo::Foo(int a) : Base(a), b_(1)\n{\n}\n«"),
        ("c++", &["foo"], "Q_PROPERTY(int x READ x)\n»void foo() {\n}\n«"),
        ("c", &["TEST"], "»TEST(suite, name)\n{\n}\n«"),
        ("c++", &["pick"], "»int pick<decltype(a) b>(int c)\n{\n}\n«"),
        ("c#", &["Name"], "class A {\n»    public (int, int) Name() {\n    }\n«}\n"),
        ("typescript", &["run"], "class A {\n»  run(a: number): (b: number) => void {\n  }\n«}\n"),
        ("typescript", &["run"], "class A {\n»  run<T = number>(a: T) {\n  }\n«}\n"),
    ] {
        check(language, names, text);
    }
    for (language, name, text) in [
        ("c", "DEFINE_MUTEX", "static DEFINE_MUTEX(x)\nstatic int numbers[] = {\n\t1,\n};\n"),
        ("c", "EXPORT_SYMBOL", "EXPORT_SYMBOL(foo)\nint bar(void)\n{\n}\n"),
    ] {
        let found = find(text.as_bytes(), sections(language), &list(&[name]));
        assert!(matches!(found, Err(OutlineProblem::Missing { .. })), "{name}: {found:?}");
    }
}

#[test]
fn braces_in_angle_brackets_begin_no_block() {
    for (language, names, text) in [
        ("c++", &["D"][..], "»class D : public B<int{3}> {\n  int x;\n};\n«int y;\n"),
        ("c++", &["f"], "»bool f(int a) {\n  while (true) if (a < 3) { return a > 2; }\n}\n«"),
        (
            "c++",
            &["operator<"],
            "»bool operator<(A a, A b) { return true; }\n«bool operator>(A a, A b) { }\n",
        ),
        ("rust", &["impl Foo<{ N }> for Bar"], "»impl Foo<{ N }> for Bar where A: B {\n    fn x() {}\n}\n«"),
        ("rust", &["impl Foo for Bar"], "»impl Foo<{ N }> for Bar {\n    fn x() {}\n}\n«"),
        (
            "rust",
            &["impl<T: X> Foo<T> for Bar"],
            "»impl<T: X>  Foo<T>\n    for Bar\nwhere\n    T: Y,\n{\n}\n«",
        ),
        ("rust", &["x"], "fn y() {\n    if a < b { c } else { d }\n}\n»fn x() {}\n«"),
    ] {
        check(language, names, text);
    }
}

#[test]
fn members_that_are_one_expression_are_found() {
    for (language, names, text) in [
        ("c#", &["X"][..], "class A {\n»    int X => 1;\n«    int Y => 2;\n}\n"),
        ("c#", &["A", "Name"], "class A {\n»    public string Name() => \"x\";\n«}\n"),
        (
            "c#",
            &["Get"],
            "class A {\n»    public T Get<T>(int a) where T : new()\n        => new T();\n«    int b;\n}\n",
        ),
        ("c#", &["A", "P"], "class A {\n    [Attr]\n»    public int P\n    {\n        get;\n    }\n«}\n"),
        ("c#", &["A", "M"], "class A {\n    [Attr]\n»    public void M()\n    {\n    }\n«}\n"),
        ("c#", &["A", "P"], "class A {\n    [Attr]\n»    public int P => 1;\n«}\n"),
        ("c#", &["P"], "class A {\n»    public Foo P => new Foo { A = 1 };\n«    int b;\n}\n"),
        (
            "c#",
            &["P"],
            "class A {\n»    public Foo P() => new Foo(1) {\n        A = 1,\n    };\n«    int b;\n}\n",
        ),
        ("c#", &["operator+"], "class A {\n»    public static A operator +(A a, A b) => a;\n«}\n"),
        ("c#", &["Y"], "class A {\n    Func<int, int> f = x => x;\n»    int Y => 2;\n«}\n"),
        (
            "c#",
            &["M"],
            "class A {\n»    int M(Shape s) {\n        return s switch { Circle c => 1, Square d => 2 };\n    }\n«}\n",
        ),
        (
            "c#",
            &["After"],
            "class A {\n    int B() => C(() => {\n        D();\n    });\n»    void After() {\n    }\n«}\n",
        ),
        ("dart", &["area"], "class A {\n»  double area() => w * h;\n«  int x = 1;\n}\n"),
        ("dart", &["name"], "class A {\n»  String get name => 'x';\n«}\n"),
        ("dart", &["all"], "class A {\n»  Map all() => {\n    'a': 1,\n  };\n«}\n"),
    ] {
        check(language, names, text);
    }
    for name in ["c", "f"] {
        let text = "class A {\n    Func<int, int> f = x => x;\n    int M(Shape s) => s switch { Circle c => 1, _ => 2 };\n}\n";
        let found = find(text.as_bytes(), sections("c#"), &list(&[name]));
        assert!(matches!(found, Err(OutlineProblem::Missing { .. })), "{name}: {found:?}");
    }
}

/// Texts that once were reread from many places, for minutes or hours.
#[test]
fn no_text_is_read_again_and_again() {
    let large = |unit: &str| unit.repeat((1 << 18) / unit.len());
    let lines = "a b\n".repeat(1 << 15);
    let texts = [
        ("swift", large("#")),
        ("c#", large("$")),
        ("c#", large("@")),
        ("c", large("#\"")),
        ("c++", large("#\"\"\"")),
        ("javascript", large("=/[")),
        ("shell", large("<<1 ").replacen("<<1 ", "x ", 1) + "\n" + &lines),
        ("shell", format!("{{ {}\n{}", "a".repeat(1 << 17), "a } ".repeat(1 << 15))),
        ("shell", "$((".repeat(99) + &lines),
        ("javascript", "`${".repeat(99) + &lines),
        (
            "swift",
            (1..99).map(|count| format!("{0}\"\"\"\n\\{0}(", "#".repeat(count))).collect::<String>() + &lines,
        ),
        ("c", format!("typedef {} {}", "a<".repeat(100), "{}".repeat(1 << 17))),
    ];
    for (language, text) in texts {
        let found = find(text.as_bytes(), sections(language), &list(&["nothing"]));
        assert!(found.is_err(), "{language} {}", &text[..20]);
    }
}
