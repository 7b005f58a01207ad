use super::integer::{Integer, cast, compute, convert, fitting, literal, unify};
use super::lex::starts_number;
use super::{Kind, Module};
use crate::plan::layout::Struct;
use crate::plan::{Scalar, Type};
use std::rc::Rc;

/// Nesting past this is refused: deeper than people write, shallow enough for the smallest stack.
const MAX_DEPTH: u32 = 48;

const NO_VALUE: &str = "this has no value in its integer type";
const NO_CONSTANT: &str = "is not an integer constant";

/// Computes expressions and reads types of one module, given values for some of its overrides.
pub struct Reader<'m, 'a> {
    /// The module it reads.
    pub module: &'m Module<'a>,
    /// The token it is at.
    pub at: usize,
    /// Values by index of the override's declaration.
    given: &'m [(usize, f64)],
    /// What was computed already, by index of the declaration; names can be used often.
    integers: Vec<(usize, Integer)>,
    pub(super) structs: Vec<(usize, Rc<Struct>)>,
    depth: u32,
}

impl<'m, 'a> Reader<'m, 'a> {
    /// A reader of this module. `given` holds values of overrides, by the index of their declaration.
    pub fn new(module: &'m Module<'a>, given: &'m [(usize, f64)]) -> Reader<'m, 'a> {
        Reader { module, at: 0, given, integers: Vec::new(), structs: Vec::new(), depth: 0 }
    }

    /// Goes one level deeper; [`Reader::leave`] ends it, whatever came of it.
    pub(super) fn enter(&mut self) -> Option<()> {
        if self.depth == MAX_DEPTH {
            return self.module.here(self.at, "this is nested too deeply or refers to itself");
        }
        self.depth += 1;
        Some(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The sign here.
    pub(super) fn sign(&self) -> u8 {
        self.module.sign(self.at)
    }

    /// Steps over this sign, which must be here.
    pub fn step_over(&mut self, sign: u8) -> Option<()> {
        self.module.step_over(&mut self.at, sign)
    }

    /// Steps over this sign if it is here.
    pub(super) fn skip(&mut self, sign: u8) -> bool {
        let is_here = self.sign() == sign;
        self.at += usize::from(is_here);
        is_here
    }

    /// The integers between an attribute's parentheses, `at` being the first token there. Puts them into `to` and gives
    /// their number.
    pub fn arguments(&mut self, at: usize, to: &mut [i64]) -> Option<usize> {
        self.at = at;
        let mut count = 0;
        for place in to {
            if self.sign() == b')' {
                break;
            }
            *place = self.integer(false)?.value;
            count += 1;
            if self.sign() != b')' {
                self.step_over(b',')?;
            }
        }
        self.step_over(b')')?;
        Some(count)
    }

    /// The one integer between an attribute's parentheses.
    pub fn argument(&mut self, at: usize) -> Option<i64> {
        let mut argument = [0];
        if self.arguments(at, &mut argument)? == 0 {
            return self.module.wanted(at, "an integer");
        }
        argument.first().copied()
    }

    /// The integer expression that starts here. In a template list a `>` ends it.
    pub fn integer(&mut self, in_template: bool) -> Option<Integer> {
        self.binary(0, in_template)
    }

    fn binary(&mut self, least: u8, in_template: bool) -> Option<Integer> {
        let mut left = self.unary()?;
        loop {
            let at = self.at;
            let operator = self.module.sign(at);
            let is_pair = self.module.is_pair(at);
            // Comparisons are none: no integer comes of them.
            let precedence = match operator {
                b'*' | b'/' | b'%' => 5,
                b'+' | b'-' => 4,
                b'<' if is_pair => 3,
                b'>' if is_pair && !in_template => 3,
                b'&' if !is_pair => 2,
                b'^' => 1,
                b'|' if !is_pair => 0,
                _ => return Some(left),
            };
            if precedence < least {
                return Some(left);
            }
            self.at += if precedence == 3 { 2 } else { 1 };
            let right = self.binary(precedence + 1, in_template)?;
            let Some(result) = compute(operator, left, right) else { return self.module.here(at, NO_VALUE) };
            left = result;
        }
    }

    fn unary(&mut self) -> Option<Integer> {
        self.enter()?;
        let outcome = self.operand();
        self.leave();
        outcome
    }

    fn operand(&mut self) -> Option<Integer> {
        let at = self.at;
        self.at += 1;
        match self.module.sign(at) {
            b'-' => {
                let operand = self.unary()?;
                match compute(b'-', Integer { value: 0, ty: operand.ty }, operand) {
                    Some(result) if operand.ty != Some(Scalar::U32) => Some(result),
                    _ => self.module.here(at, NO_VALUE),
                }
            }
            b'~' => {
                let operand = self.unary()?;
                let ones = if operand.ty == Some(Scalar::U32) { i64::from(u32::MAX) } else { -1 };
                Some(Integer { value: operand.value ^ ones, ty: operand.ty })
            }
            b'(' => {
                let inner = self.integer(false)?;
                self.step_over(b')')?;
                Some(inner)
            }
            _ => self.literal_or_name(at),
        }
    }

    fn literal_or_name(&mut self, at: usize) -> Option<Integer> {
        let text = self.module.token(at);
        if starts_number(text) {
            return literal(text).or_else(|| self.module.wrong(at, "is not an integer"));
        }
        match self.module.find(text) {
            Some((index, _)) => self.declared(index, at),
            None if self.module.word(at).is_some() => self.built_in(at, text),
            None => self.module.wanted(at, "an integer"),
        }
    }

    /// The call of a function that is built in.
    fn built_in(&mut self, at: usize, name: &str) -> Option<Integer> {
        let mut result = None;
        if self.skip(b'(') {
            let first = self.integer(false)?;
            let mut second = None;
            if self.skip(b',') && self.sign() != b')' {
                second = Some(self.integer(false)?);
                self.skip(b',');
            }
            self.step_over(b')')?;
            result = match (name, second) {
                ("u32", None) => cast(first, Scalar::U32),
                ("i32", None) => cast(first, Scalar::I32),
                ("abs", None) => fitting(first.value.saturating_abs(), first.ty),
                ("min", Some(second)) => unify(first, second).and_then(|ty| fitting(first.value.min(second.value), ty)),
                ("max", Some(second)) => unify(first, second).and_then(|ty| fitting(first.value.max(second.value), ty)),
                _ => None,
            };
        }
        result.or_else(|| self.module.wrong(at, "is not an integer the reader can work out"))
    }

    /// The value of the `const` or `override` that the token at `at` names.
    fn declared(&mut self, index: usize, at: usize) -> Option<Integer> {
        for (known, integer) in &self.integers {
            if *known == index {
                return Some(*integer);
            }
        }
        let after = self.at;
        let integer = self.value(index, at)?;
        self.at = after;
        self.integers.push((index, integer));
        Some(integer)
    }

    fn value(&mut self, index: usize, at: usize) -> Option<Integer> {
        let declaration = self.module.declarations.get(index)?;
        let is_override = declaration.kind == Kind::Override;
        if !is_override && declaration.kind != Kind::Const {
            return self.module.wrong(at, NO_CONSTANT);
        }
        for (known, given) in self.given {
            if *known == index {
                return match self.override_scalar(index) {
                    Some(scalar) if scalar.is_integer() => Some(Integer { value: *given as i64, ty: Some(scalar) }),
                    _ => self.module.wrong(at, NO_CONSTANT),
                };
            }
        }
        let Some(value) = self.module.value_of(declaration) else { return self.module.wrong(at, "has no value") };
        self.at = value;
        let integer = self.integer(false)?;
        self.step_over(b';')?;
        let ty = match self.module.type_of(declaration) {
            Some(ty) => self.type_at(ty)?.integer(),
            None if is_override => integer.ty.or(Some(Scalar::I32)),
            None => return Some(integer),
        };
        ty.and_then(|ty| convert(integer, ty)).or_else(|| self.module.wrong(at, NO_CONSTANT))
    }

    /// The type of an override, if the reader can tell: the declared one, or that of its default.
    pub fn override_scalar(&mut self, index: usize) -> Option<Scalar> {
        let declaration = self.module.declarations.get(index)?;
        if let Some(ty) = self.module.type_of(declaration) {
            return match self.type_at(ty)? {
                Type::Scalar(scalar) => Some(scalar),
                _ => None,
            };
        }
        self.at = self.module.value_of(declaration)?;
        let value = self.at;
        if let (Some(integer), true) = (self.integer(false), self.sign() == b';') {
            return Some(integer.ty.unwrap_or(Scalar::I32));
        }
        let value = if self.module.sign(value) == b'-' { value + 1 } else { value };
        match self.module.token(value) {
            _ if self.module.sign(value + 1) != b';' => None,
            "true" | "false" => Some(Scalar::Bool),
            text if !starts_number(text) => None,
            text if text.ends_with('h') => Some(Scalar::F16),
            _ => Some(Scalar::F32),
        }
    }
}
