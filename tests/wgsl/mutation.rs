//! Small changes to WGSL text, as a slip of the hand or a cat on the keyboard makes them.

use proptest::prelude::*;
use proptest::sample::Index;

/// Cuts text into words, numbers, blanks and single signs.
fn pieces(wgsl: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_whitespace() => 0,
        c if c.is_alphanumeric() || c == '_' => 1,
        _ => 2,
    };
    let mut pieces = Vec::new();
    let mut rest = wgsl;
    while let Some(first) = rest.chars().next() {
        let end = match class(first) {
            2 => first.len_utf8(),
            same => rest.find(|c| class(c) != same).unwrap_or(rest.len()),
        };
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// What happens to a piece.
#[derive(Clone, Debug)]
pub enum Edit {
    /// It becomes another piece of the same text that begins like it: a word for a word, a sign for a sign.
    Replace(Index, Index),
    /// It is left out.
    Delete(Index),
    /// It stands there twice.
    Double(Index),
    /// It changes places with another.
    Swap(Index, Index),
    /// Something that does not belong there comes before it.
    Insert(Index, &'static str),
    /// A statement that declares or names one of the text's words, behind a brace or a semicolon.
    State(Index, &'static str, Index),
}

/// Any edit.
pub fn edit() -> impl Strategy<Value = Edit> {
    let strange = prop::sample::select(vec![
        "(",
        ")",
        "{",
        "}",
        "<",
        ">",
        "[",
        "]",
        "@",
        ";",
        ",",
        ":",
        "=",
        ".",
        "/*",
        "*/",
        "//",
        "\n",
        "for",
        "let x",
        "fn",
        "var",
        "struct",
        "alias",
        "override",
        "const",
        "\u{2028}",
        "é",
        "0x",
        "1e",
        "\0",
        "'",
        "@group(0)",
    ]);
    let statement = prop::sample::select(vec![
        "let X = 1u;",
        "var X: array<vec2<f32>,2>;",
        "const X = 1;",
        "_ = &X;",
        "{ let X = 1u; _ = X; }",
        "{ let X = 1u; { const X = 2; } _ = X; }",
        "{ var X = 1u; X++; } _ = &X;",
        "for (var X = 0; X < 1; X++) { _ = X; } _ = &X;",
        "for (var X = 0; X < 1; X++) { let X = 2; for (var X = 1; X < 2; X++) { } _ = X; }",
        "if true { let X = 1; _ = X; } else if false { _ = &X; } else { var<function> X = 1; X++; }",
        "switch 1 { case 1: { let X = 2; } default: { _ = &X; } }",
        "loop { let X = 1; if X == 1 { break; } continuing { _ = X; } }",
        "while false { let X = 1; _ = X; }",
        "const_assert 1 < 2; _ = &X;",
    ]);
    let at = any::<Index>;
    prop_oneof![
        8 => (at(), statement, at()).prop_map(|(at, statement, word)| Edit::State(at, statement, word)),
        6 => (at(), at()).prop_map(|(at, from)| Edit::Replace(at, from)),
        1 => at().prop_map(Edit::Delete),
        1 => at().prop_map(Edit::Double),
        1 => (at(), at()).prop_map(|(a, b)| Edit::Swap(a, b)),
        1 => (at(), strange).prop_map(|(at, what)| Edit::Insert(at, what)),
    ]
}

fn is_word(piece: &str) -> bool {
    piece.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The text after these edits, one after the other.
pub fn edited(wgsl: &str, edits: &[Edit]) -> String {
    let mut pieces: Vec<String> = pieces(wgsl).into_iter().map(str::to_owned).collect();
    for edit in edits {
        if pieces.is_empty() {
            break;
        }
        let len = pieces.len();
        match edit {
            Edit::Replace(at, from) => {
                let at = at.index(len);
                let alike: Vec<&String> =
                    pieces.iter().filter(|piece| is_word(piece) == is_word(&pieces[at])).collect();
                pieces[at] = alike[from.index(alike.len())].clone();
            }
            Edit::Delete(at) => drop(pieces.remove(at.index(len))),
            Edit::Double(at) => pieces.insert(at.index(len), pieces[at.index(len)].clone()),
            Edit::Swap(a, b) => pieces.swap(a.index(len), b.index(len)),
            Edit::Insert(at, what) => pieces.insert(at.index(len), (*what).to_owned()),
            Edit::State(at, statement, word) => {
                let ends: Vec<usize> = (0..len).filter(|at| ["{", "}", ";"].contains(&pieces[*at].as_str())).collect();
                let variables: Vec<&String> = (4..len)
                    .filter(|at| pieces[*at] == ":" && pieces[..*at].iter().rev().take(14).any(|piece| piece == "var"))
                    .map(|at| &pieces[at - 1])
                    .filter(|piece| is_word(piece))
                    .collect();
                if ends.is_empty() || variables.is_empty() {
                    continue;
                }
                let statement = statement.replace('X', variables[word.index(variables.len())]);
                pieces.insert(ends[at.index(ends.len())] + 1, statement);
            }
        }
    }
    pieces.concat()
}
