use super::lex::Kind as TokenKind;
use super::{Kind, Module, Problem};
use crate::plan::layout::Struct;
use crate::plan::{Scalar, Type};
use std::rc::Rc;

/// Nesting past this is refused: deeper than people write, shallow enough for the smallest stack.
const MAX_DEPTH: u32 = 48;

/// An integer of a const or override expression.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Integer {
    /// Its value.
    pub value: i64,
    /// `i32` or `u32`; none while it is abstract.
    pub ty: Option<Scalar>,
}

/// Computes expressions and reads types of one module, given values for some of its overrides.
pub struct Reader<'m, 'a> {
    pub(super) module: &'m Module<'a>,
    /// Values by index of the override's declaration.
    given: &'m [(usize, f64)],
    /// What was computed already, by index of the declaration; names can be used often.
    integers: Vec<Option<Result<Integer, Problem>>>,
    pub(super) structs: Vec<Option<Result<Rc<Struct>, Problem>>>,
    depth: u32,
}

impl<'m, 'a> Reader<'m, 'a> {
    /// A reader of this module. `given` holds values of overrides, by the index of their declaration.
    pub fn new(module: &'m Module<'a>, given: &'m [(usize, f64)]) -> Reader<'m, 'a> {
        let nothing = module.declarations.len();
        Reader { module, given, integers: vec![None; nothing], structs: vec![None; nothing], depth: 0 }
    }

    /// The module it reads.
    pub fn module(&self) -> &'m Module<'a> {
        self.module
    }

    /// Runs `read` one level deeper.
    pub(super) fn deeper<T>(
        &mut self,
        at: usize,
        read: impl FnOnce(&mut Self) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        if self.depth == MAX_DEPTH {
            return Err(self.module.problem(at, "this is nested too deeply or refers to itself"));
        }
        self.depth += 1;
        let outcome = read(self);
        self.depth -= 1;
        outcome
    }

    /// The integer expression that starts here, and the token behind it. In a template list a `>` ends it.
    pub fn integer(&mut self, at: usize, in_template: bool) -> Result<(Integer, usize), Problem> {
        self.binary(at, 0, in_template)
    }

    /// Integer expressions between two tokens, separated by commas.
    pub fn integers(&mut self, start: usize, end: usize) -> Result<Vec<Integer>, Problem> {
        let mut integers = Vec::new();
        let mut at = start;
        while at < end {
            let (integer, after) = self.integer(at, false)?;
            integers.push(integer);
            at = if after == end { end } else { self.module.step_over(after, ',')? };
        }
        Ok(integers)
    }

    fn binary(&mut self, at: usize, least: u8, in_template: bool) -> Result<(Integer, usize), Problem> {
        let (mut left, mut at) = self.unary(at)?;
        while let Some((operator, width, precedence)) = self.operator(at, in_template) {
            if precedence < least {
                break;
            }
            let (right, after) = self.binary(at + width, precedence + 1, in_template)?;
            left = compute(operator, left, right)
                .ok_or_else(|| self.module.problem(at, "this has no value in its integer type"))?;
            at = after;
        }
        Ok((left, at))
    }

    /// The operator here, its tokens and its precedence. Comparisons are none: no integer comes of them.
    fn operator(&self, at: usize, in_template: bool) -> Option<(char, usize, u8)> {
        let TokenKind::Sign(sign) = self.module.tokens.get(at)?.kind else { return None };
        let is_pair = self.module.is_pair(at, sign);
        match sign {
            '*' | '/' | '%' => Some((sign, 1, 5)),
            '+' | '-' => Some((sign, 1, 4)),
            '<' if is_pair => Some((sign, 2, 3)),
            '>' if is_pair && !in_template => Some((sign, 2, 3)),
            '&' if !is_pair => Some((sign, 1, 2)),
            '^' => Some((sign, 1, 1)),
            '|' if !is_pair => Some((sign, 1, 0)),
            _ => None,
        }
    }

    fn unary(&mut self, at: usize) -> Result<(Integer, usize), Problem> {
        let Some(token) = self.module.tokens.get(at).copied() else { return Err(self.module.wanted(at, "a value")) };
        match token.kind {
            TokenKind::Sign(sign @ ('-' | '~')) => {
                let (operand, after) = self.deeper(at, |reader| reader.unary(at + 1))?;
                let value = if sign == '-' {
                    compute('-', Integer { value: 0, ty: operand.ty }, operand)
                        .filter(|_| operand.ty != Some(Scalar::U32))
                } else {
                    let ones = if operand.ty == Some(Scalar::U32) { i64::from(u32::MAX) } else { -1 };
                    Some(Integer { value: operand.value ^ ones, ty: operand.ty })
                };
                let value = value.ok_or_else(|| self.module.problem(at, "this has no value in its integer type"))?;
                Ok((value, after))
            }
            TokenKind::Sign('(') => {
                let (inner, after) = self.deeper(at, |reader| reader.integer(at + 1, false))?;
                Ok((inner, self.module.step_over(after, ')')?))
            }
            TokenKind::Number => match literal(token.text) {
                Some(integer) => Ok((integer, at + 1)),
                None => Err(self.module.problem(at, &["`", token.text, "` is not an integer"].concat())),
            },
            TokenKind::Word => self.named(at, token.text),
            TokenKind::Sign(_) => Err(self.module.wanted(at, "an integer")),
        }
    }

    /// A constant, an override or the call of a function that is built in.
    fn named(&mut self, at: usize, name: &str) -> Result<(Integer, usize), Problem> {
        if let Some((index, _)) = self.module.find(name) {
            return Ok((self.declared(index, at)?, at + 1));
        }
        let unknown = || self.module.problem(at, &["`", name, "` is not an integer the reader can work out"].concat());
        if !self.module.is(at + 1, '(') {
            return Err(unknown());
        }
        let (first, mut after) = self.deeper(at, |reader| reader.integer(at + 2, false))?;
        let mut second = None;
        if self.module.is(after, ',') && !self.module.is(after + 1, ')') {
            let (value, end) = self.deeper(at, |reader| reader.integer(after + 1, false))?;
            second = Some(value);
            after = end;
        }
        if self.module.is(after, ',') {
            after += 1;
        }
        let result = match (name, second) {
            ("u32", None) => cast(first, Scalar::U32),
            ("i32", None) => cast(first, Scalar::I32),
            ("abs", None) => {
                Some(Integer { value: first.value.saturating_abs(), ty: first.ty }).filter(|one| one.fits())
            }
            ("min" | "max", Some(second)) => unify(first, second).map(|ty| {
                let least = first.value.min(second.value);
                let greatest = first.value.max(second.value);
                Integer { value: if name == "min" { least } else { greatest }, ty }
            }),
            _ => None,
        };
        Ok((result.ok_or_else(unknown)?, self.module.step_over(after, ')')?))
    }

    /// The value of a `const` or `override`.
    fn declared(&mut self, index: usize, at: usize) -> Result<Integer, Problem> {
        if let Some(Some(known)) = self.integers.get(index) {
            return known.clone();
        }
        let outcome = self.deeper(at, |reader| reader.compute_declared(index, at));
        if let Some(slot) = self.integers.get_mut(index) {
            *slot = Some(outcome.clone());
        }
        outcome
    }

    fn compute_declared(&mut self, index: usize, at: usize) -> Result<Integer, Problem> {
        let Some(declaration) = self.module.declarations.get(index) else {
            return Err(self.module.wanted(at, "a constant"));
        };
        let not_integer = || self.module.problem(at, &["`", declaration.name, "` is not an integer constant"].concat());
        let (ty, value) = match declaration.kind {
            Kind::Const(ty, value) => (ty, Some(value)),
            Kind::Override(ty, value) => (ty, value),
            _ => return Err(not_integer()),
        };
        if let Some((_, given)) = self.given.iter().find(|(override_index, _)| *override_index == index) {
            let given = Integer { value: *given as i64, ty: self.override_scalar(index) };
            return if given.ty.is_some_and(Scalar::is_integer) { Ok(given) } else { Err(not_integer()) };
        }
        let value =
            value.ok_or_else(|| self.module.problem(at, &["`", declaration.name, "` has no value"].concat()))?;
        let (mut integer, end) = self.integer(value, false)?;
        self.module.step_over(end, ';')?;
        if let Some(ty) = ty {
            match self.ty(ty)?.0 {
                Type::Scalar(scalar @ (Scalar::I32 | Scalar::U32))
                    if unify(integer, Integer { value: 0, ty: Some(scalar) }).is_some() =>
                {
                    integer.ty = Some(scalar);
                }
                _ => return Err(not_integer()),
            }
        } else if matches!(declaration.kind, Kind::Override(..)) && integer.ty.is_none() {
            integer.ty = Some(Scalar::I32);
        }
        if integer.fits() { Ok(integer) } else { Err(not_integer()) }
    }

    /// The type of an override, if the reader can tell: the declared one, or that of its default.
    pub fn override_scalar(&mut self, index: usize) -> Option<Scalar> {
        let Kind::Override(ty, value) = self.module.declarations.get(index)?.kind else { return None };
        if let Some(ty) = ty {
            return match self.ty(ty) {
                Ok((Type::Scalar(scalar), _)) => Some(scalar),
                _ => None,
            };
        }
        let value = value?;
        if let Ok((integer, _)) = self.integer(value, false) {
            return Some(integer.ty.unwrap_or(Scalar::I32));
        }
        let start = if self.module.is(value, '-') { value + 1 } else { value };
        let token = self.module.tokens.get(start).filter(|_| self.module.is(start + 1, ';'))?;
        match (token.kind, token.text) {
            (TokenKind::Word, "true" | "false") => Some(Scalar::Bool),
            (TokenKind::Number, text) if text.ends_with('h') => Some(Scalar::F16),
            (TokenKind::Number, _) => Some(Scalar::F32),
            _ => None,
        }
    }
}

impl Integer {
    fn fits(self) -> bool {
        match self.ty {
            Some(Scalar::I32) => i32::try_from(self.value).is_ok(),
            Some(Scalar::U32) => u32::try_from(self.value).is_ok(),
            _ => true,
        }
    }
}

/// The integer that a literal without a point or an exponent is.
fn literal(text: &str) -> Option<Integer> {
    let (digits, radix) = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let (digits, ty) = if let Some(digits) = digits.strip_suffix('u') {
        (digits, Some(Scalar::U32))
    } else if let Some(digits) = digits.strip_suffix('i') {
        (digits, Some(Scalar::I32))
    } else {
        (digits, None)
    };
    let value = i64::from_str_radix(digits, radix).ok()?;
    Some(Integer { value, ty }).filter(|integer| integer.fits())
}

/// The common type of two operands: an abstract one takes the other's, if it fits.
fn unify(left: Integer, right: Integer) -> Option<Option<Scalar>> {
    let ty = left.ty.or(right.ty);
    let fits = |operand: Integer| operand.ty.is_none_or(|own| Some(own) == ty) && Integer { ty, ..operand }.fits();
    (fits(left) && fits(right)).then_some(ty)
}

/// The result of an operator; none where it overflows, so that wrapping is never guessed.
fn compute(operator: char, left: Integer, right: Integer) -> Option<Integer> {
    let (l, r) = (left.value, right.value);
    if matches!(operator, '<' | '>') {
        let bits = if left.ty.is_some() { 32 } else { 64 };
        let shift = u32::try_from(r).ok().filter(|shift| *shift < bits && right.ty != Some(Scalar::I32))?;
        let value = if operator == '>' { l >> shift } else { l << shift };
        let kept = operator == '>' || value >> shift == l;
        return Some(Integer { value, ty: left.ty }).filter(|integer| kept && integer.fits());
    }
    let ty = unify(left, right)?;
    let value = match operator {
        '+' => l.checked_add(r),
        '-' => l.checked_sub(r),
        '*' => l.checked_mul(r),
        '/' => l.checked_div(r),
        '%' => l.checked_rem(r),
        '&' => Some(l & r),
        '^' => Some(l ^ r),
        '|' => Some(l | r),
        _ => None,
    }?;
    Some(Integer { value, ty }).filter(|integer| integer.fits())
}

/// `u32(x)` and `i32(x)`: between the two the bits are kept, an abstract operand must fit.
fn cast(operand: Integer, to: Scalar) -> Option<Integer> {
    let value = match (operand.ty, to) {
        (Some(Scalar::I32), Scalar::U32) => i64::from(operand.value as u32),
        (Some(Scalar::U32), Scalar::I32) => i64::from(operand.value as u32 as i32),
        _ => operand.value,
    };
    Some(Integer { value, ty: Some(to) }).filter(|integer| integer.fits())
}
