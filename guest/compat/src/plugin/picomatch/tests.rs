//! picomatch's answers, and refused patterns.

use super::PicomatchPattern;
use fsgate_fuzz::fuzz;

/// Patterns with matching and other paths, as picomatch 4 answers.
const FACTS: &[(&str, &[&str], &[&str])] = &[
    ("*.txt", &["a.txt"], &["d/a.txt", ".a.txt"]),
    ("**/*.pdf", &["a.pdf", "d/e/a.pdf"], &[".d/a.pdf", "d/.a.pdf"]),
    ("docs/**/*.md", &["docs/a.md", "docs/d/a.md"], &["a.md", "docs/.d/a.md"]),
    ("a/**", &["a", "a/b", "a/b/c"], &["a/.b", "ab"]),
    ("*/**", &["a/b"], &["a"]),
    ("**.js", &["a.js", "x/a.js"], &["x/.a.js"]),
    ("*.*", &["a.b"], &["a.", "a"]),
    (".*", &[".a"], &["a"]),
    ("{*.js,*.md}", &["a.js", ".x.js"], &["a.txt"]),
    ("**/{a..c}", &["a", "x/b"], &["d"]),
    ("img{1..10}.png", &["img1.png", "img0.png"], &["img2.png", "img10.png", "img1xpng"]),
    ("img{10..1}.png", &["img1.png", "img0.png"], &["img2.png", "img10.png"]),
    ("{9..10}", &["0", "1", "5", "9"], &["10"]),
    ("{01..03}", &["01..03", "01xx03"], &["01", "02", "1", "01//3"]),
    ("{-1..3}", &["-", "1", "3"], &["-1", "0"]),
    ("{1..-3}", &["-3xx1"], &["-3", "1"]),
    ("{1..10..2}", &["0", "1", "2"], &["3", "10"]),
    ("{aa..cc}", &["a", "b", "c"], &["aa", "d"]),
    ("{x,img{1..10}.png}", &["x", "img0.png"], &["img2.png"]),
    ("{2..}", &["2"], &["3", "2.."]),
    ("[!a]", &["!", "a"], &["b"]),
    ("[^a]", &["b"], &["a"]),
    ("a[bc]", &["ab", "a[bc]"], &["ad"]),
    ("[[:alpha:]]x", &["ax"], &["1x"]),
    ("!(*.d).ts", &["a.ts", ".ts"], &["a.d.ts"]),
    ("!(a)", &["b", ".x"], &["a"]),
    ("!*.md", &["a.txt", "d/a.md"], &["a.md"]),
    ("@(a|b).js", &["a.js"], &["c.js"]),
    ("+(a|b)", &["abba"], &["c"]),
    ("?", &["a"], &[".", "ab"]),
];

#[test]
fn patterns_mean_what_picomatch_means() {
    for (pattern, matching, other) in FACTS {
        let read = PicomatchPattern::new(pattern).unwrap_or_else(|invalid| panic!("{pattern}: {invalid:?}"));
        assert!(matching.iter().all(|path| read.matches(path)), "{pattern}");
        assert!(!other.iter().any(|path| read.matches(path)), "{pattern}");
    }
}

#[test]
fn what_cannot_be_expressed_is_refused() {
    for pattern in [
        "", "a(b)", "(a|b)", "x/a|b", "{a}", "{1.5..2}", "{1...3}", "{1..2,3}", "[a", "a]", "+(a|aa)", "!!a",
        "\"a\"", "\\d", "a\\\\b", "[c-a]",
    ] {
        assert!(PicomatchPattern::new(pattern).is_err(), "{pattern}");
    }
}

#[test]
fn any_text_is_read() {
    let inputs = ("[ab./*?\\[\\]{},()|@+!^\\\\\"😀-]{0,12}", "[ab./]{0,12}");
    fuzz(inputs, |(text, path)| {
        if let Ok(pattern) = PicomatchPattern::new(&text) {
            assert!(!pattern.matches(""), "{text}");
            assert!(pattern.matches(&text), "{text}");
            pattern.matches(&path);
        }
    });
}
