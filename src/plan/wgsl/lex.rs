//! Cuts WGSL into tokens: words, numbers and single characters of punctuation. Blank space and comments are left out.
//! Longer operators are several tokens side by side, so that `>>` can end two template lists.

/// The token that stands for a block comment without an end.
pub const UNCLOSED: &str = "/*";

/// WGSL's line breaks; a carriage return and line feed in a row are one.
pub fn is_line_break(character: char) -> bool {
    matches!(character, '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank(character: char) -> bool {
    is_line_break(character) || matches!(character, ' ' | '\t' | '\u{200e}' | '\u{200f}')
}

/// Whether a word can have this character; where it begins one, it is no digit. Beyond ASCII all are taken for letters:
/// telling those that Unicode calls XID apart would need tables, and the browser refuses the others.
pub fn is_in_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || !(character.is_ascii() || is_blank(character))
}

fn is_in_number(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '.'
}

fn is_in_line(character: char) -> bool {
    !is_line_break(character)
}

/// Cuts the text into tokens; the last one is [`UNCLOSED`] if a block comment has no end.
pub fn tokens(source: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let (length, is_token) = if is_blank(first) {
            (first.len_utf8(), false)
        } else if rest.starts_with("//") {
            (run(rest, is_in_line), false)
        } else if rest.starts_with(UNCLOSED) {
            match comment_length(rest.as_bytes()) {
                Some(length) => (length, false),
                None => {
                    tokens.push(rest.get(..2).unwrap_or(UNCLOSED));
                    break;
                }
            }
        } else if starts_number(rest) {
            (number_length(rest), true)
        } else {
            (run(rest, is_in_word).max(first.len_utf8()), true)
        };
        let Some((text, after)) = rest.split_at_checked(length) else { break };
        if is_token {
            tokens.push(text);
        }
        rest = after;
    }
    tokens
}

/// Bytes of the characters at the start of the text that belong together.
fn run(text: &str, belongs: fn(char) -> bool) -> usize {
    let mut characters = text.chars();
    loop {
        let length = text.len() - characters.as_str().len();
        match characters.next() {
            Some(character) if belongs(character) => {}
            _ => return length,
        }
    }
}

/// Bytes of the block comment that the text starts with; block comments nest.
fn comment_length(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        let step = match text.get(at..at + 2)? {
            b"/*" => {
                depth += 1;
                2
            }
            b"*/" => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        at += step;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Whether the text starts with a digit, or with a point and a digit.
pub fn starts_number(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..])
}

/// Bytes of the number that the text starts with: digits, letters and points, and a sign behind an exponent's letter.
fn number_length(text: &str) -> usize {
    let exponent = if matches!(text.as_bytes(), [b'0', b'x' | b'X', ..]) { b'p' } else { b'e' };
    let mut length = run(text, is_in_number);
    while let Some([letter, b'+' | b'-']) = text.as_bytes().get(length.wrapping_sub(1)..=length) {
        if letter.to_ascii_lowercase() != exponent {
            break;
        }
        length += 1 + run(text.get(length + 1..).unwrap_or(""), is_in_number);
    }
    length
}
