use crate::error::{ComputeError, Operation, Reason};
use crate::plan::DType;

/// Invocations per workgroup of a map.
pub const WORKGROUP_SIZE: u32 = 256;

/// The line of the generated source on which the expression starts, counted from 1; compile errors subtract it.
pub const FIRST_LINE: u32 = 5;

/// The source of a kernel that sets each element of `y` to an expression of the element `x`, its index `i` and the
/// length `n` (both `u32`). The grid may be folded.
///
/// # Errors
/// - `InvalidProgram`: the expression is empty, or holds something that could end its place in the source.
pub fn map(expression: &str, dtype: DType) -> Result<String, ComputeError> {
    check(expression)?;
    let enable = if dtype == DType::F16 { "enable f16;" } else { "" };
    let ty = dtype.name();
    let size = WORKGROUP_SIZE;
    Ok(format!(
        "{enable}
@group(0) @binding(0) var<storage, read> x: array<{ty}>;
@group(0) @binding(1) var<storage, read_write> y: array<{ty}>;
fn expression(x: {ty}, i: u32, n: u32) -> {ty} {{ return
{expression}
; }}
@compute @workgroup_size({size})
fn elementwise(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {{
    let i = id.x + (id.y + id.z * groups.y) * groups.x * {size}u;
    let n = arrayLength(&y);
    if (i < n) {{ y[i] = expression(x[i], i, n); }}
}}
"
    ))
}

/// An expression holds no statement, no attribute and no comment, and closes what it opens.
fn check(expression: &str) -> Result<(), ComputeError> {
    let refuse = |expected: &'static str, got: String| {
        Reason::ArgumentInvalid
            .at(Operation::Compile)
            .with("argument", "the expression")
            .with("expected", expected)
            .with("got", got)
            .with("label", "elementwise")
    };
    if expression.trim().is_empty() {
        return Err(refuse("a WGSL expression", "empty".to_owned()));
    }
    let mut open = Vec::new();
    let mut previous = ' ';
    for (column, character) in (1_u32..).zip(expression.chars()) {
        let is_comment = previous == '/' && (character == '/' || character == '*');
        let closes = match character {
            '(' | '[' => {
                open.push(character);
                None
            }
            ')' => Some('('),
            ']' => Some('['),
            _ => None,
        };
        let is_unmatched = closes.is_some_and(|opening| open.pop() != Some(opening));
        if is_comment || is_unmatched || matches!(character, ';' | '{' | '}' | '@' | '\0') {
            let got = format!("one with `{character}` at column {column}");
            return Err(refuse("a single WGSL expression", got).with("column", column));
        }
        previous = character;
    }
    match open.pop() {
        None => Ok(()),
        Some(opening) => Err(refuse("a single WGSL expression", format!("one with an open `{opening}`"))),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn the_expression_stands_alone_on_the_line_that_errors_subtract() {
        for dtype in DType::ALL {
            let source = map("x * 2", dtype).unwrap();
            assert_eq!(source.lines().nth(FIRST_LINE as usize - 1), Some("x * 2"), "{source}");
        }
    }

    #[test]
    fn generated_sources_are_valid_wgsl() {
        for dtype in [DType::F32, DType::I32, DType::U32, DType::Vec2f, DType::Vec4f] {
            let source = map("x + x", dtype).unwrap();
            naga::front::wgsl::parse_str(&source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&source)));
        }
    }

    #[test]
    fn an_expression_cannot_leave_its_place() {
        for hostile in ["", "  ", "x; }", "x }", "x // end", "x /* open", "@x", "(x", "x)", "x]", "(x]", "x\0"] {
            let error = map(hostile, DType::F32).unwrap_err();
            assert_eq!(error.reason(), Reason::ArgumentInvalid, "{hostile}");
        }
    }
}
