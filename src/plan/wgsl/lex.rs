use super::Problem;

/// A piece of WGSL that is not blank space and not a comment.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// A keyword or an identifier.
    Word,
    /// A number with its suffix.
    Number,
    /// One character of punctuation; longer operators are several of them side by side, so that `>>` can end two
    /// template lists.
    Sign(char),
}

/// A token and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its text.
    pub text: &'a str,
    /// Bytes before it.
    pub offset: usize,
}

/// WGSL's line breaks; a carriage return and line feed in a row are one.
pub fn is_line_break(character: char) -> bool {
    matches!(character, '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank(character: char) -> bool {
    is_line_break(character) || matches!(character, ' ' | '\t' | '\u{200e}' | '\u{200f}')
}

/// Letters beyond ASCII are all taken for letters: telling those that Unicode calls XID apart would need tables, and the
/// browser refuses the others.
fn starts_word(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_' || !(character.is_ascii() || is_blank(character))
}

fn continues_word(character: char) -> bool {
    starts_word(character) || character.is_ascii_digit()
}

/// Cuts the text into tokens.
///
/// # Errors
/// A block comment without an end.
pub fn tokens(source: &str) -> Result<Vec<Token<'_>>, Problem> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let offset = source.len() - rest.len();
        let (kind, length) = if is_blank(first) {
            (None, first.len_utf8())
        } else if rest.starts_with("//") {
            (None, rest.find(is_line_break).unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            let unclosed = || Problem { offset, problem: "a block comment has no end".to_owned() };
            (None, comment_length(rest).ok_or_else(unclosed)?)
        } else if starts_word(first) {
            (Some(Kind::Word), rest.find(|c| !continues_word(c)).unwrap_or(rest.len()))
        } else if starts_number(rest) {
            (Some(Kind::Number), number_length(rest))
        } else {
            (Some(Kind::Sign(first)), first.len_utf8())
        };
        let Some((text, after)) = rest.split_at_checked(length) else { break };
        if let Some(kind) = kind {
            tokens.push(Token { kind, text, offset });
        }
        rest = after;
    }
    Ok(tokens)
}

/// Bytes of the block comment that the text starts with; block comments nest.
fn comment_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        let next = bytes.peek().map(|(_, next)| *next);
        match (byte, next) {
            (b'/', Some(b'*')) => depth += 1,
            (b'*', Some(b'/')) => depth -= 1,
            _ => continue,
        }
        bytes.next();
        if depth == 0 {
            return Some(at + 2);
        }
    }
    None
}

fn starts_number(text: &str) -> bool {
    text.strip_prefix('.').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit())
}

/// Bytes of the number that the text starts with: digits, letters and points, and a sign behind an exponent's letter.
fn number_length(text: &str) -> usize {
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let mut previous = ' ';
    for (at, character) in text.char_indices() {
        let exponent = if is_hex { matches!(previous, 'p' | 'P') } else { matches!(previous, 'e' | 'E') };
        let belongs =
            character.is_ascii_alphanumeric() || character == '.' || (matches!(character, '+' | '-') && exponent);
        if !belongs {
            return at;
        }
        previous = character;
    }
    text.len()
}
