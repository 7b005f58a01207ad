use super::{Kind, Problem, Reader};
use crate::plan::layout::{Declared, Struct};
use crate::plan::{Scalar, Type};
use std::ops::Range;
use std::rc::Rc;
use std::str::Chars;

impl Reader<'_, '_> {
    /// The type that starts here, and the token behind it.
    pub fn ty(&mut self, at: usize) -> Result<(Type, usize), Problem> {
        self.deeper(at, |reader| reader.read_type(at))
    }

    fn read_type(&mut self, at: usize) -> Result<(Type, usize), Problem> {
        let name = self.module.word(at).ok_or_else(|| self.module.wanted(at, "a type"))?;
        let after = at + 1;
        if let Some((index, declaration)) = self.module.find(name) {
            return match &declaration.kind {
                Kind::Alias(ty) => Ok((self.ty(*ty)?.0, after)),
                Kind::Struct(members) => Ok((Type::Struct(self.structure(index, members)?), after)),
                _ => Err(self.unknown_type(at, name)),
            };
        }
        if let Some(scalar) = Scalar::from_name(name) {
            return Ok((Type::Scalar(scalar), after));
        }
        match name {
            "atomic" => {
                let (scalar, after) = self.scalar_in_template(after)?;
                Ok((Type::Atomic(scalar), after))
            }
            "array" => self.array(after),
            _ => {
                let (columns, rows, suffix) = dimensions(name).ok_or_else(|| self.unknown_type(at, name))?;
                let (scalar, after) = match suffix {
                    'f' => (Scalar::F32, after),
                    'h' => (Scalar::F16, after),
                    'i' if columns.is_none() => (Scalar::I32, after),
                    'u' if columns.is_none() => (Scalar::U32, after),
                    ' ' => self.scalar_in_template(after)?,
                    _ => return Err(self.unknown_type(at, name)),
                };
                let ty = match columns {
                    Some(columns) => Type::Matrix { columns, rows, scalar },
                    None => Type::Vector { components: rows, scalar },
                };
                Ok((ty, after))
            }
        }
    }

    fn unknown_type(&self, at: usize, name: &str) -> Problem {
        self.module.problem(at, &["`", name, "` is not a type the reader knows the layout of"].concat())
    }

    fn scalar_in_template(&mut self, at: usize) -> Result<(Scalar, usize), Problem> {
        let open = self.module.step_over(at, '<')?;
        match self.ty(open)? {
            (Type::Scalar(scalar), after) => Ok((scalar, self.template_end(after)?)),
            _ => Err(self.module.wanted(open, "a scalar type")),
        }
    }

    /// Steps over the end of a template list, a trailing comma included.
    fn template_end(&self, at: usize) -> Result<usize, Problem> {
        self.module.step_over(if self.module.is(at, ',') { at + 1 } else { at }, '>')
    }

    fn array(&mut self, at: usize) -> Result<(Type, usize), Problem> {
        let open = self.module.step_over(at, '<')?;
        let (element, mut after) = self.ty(open)?;
        let mut length = None;
        if self.module.is(after, ',') && !self.module.is(after + 1, '>') {
            let (count, end) = self.integer(after + 1, true)?;
            let positive = u64::try_from(count.value).ok().filter(|count| *count > 0);
            length = Some(positive.ok_or_else(|| self.module.problem(after + 1, "an array needs a positive length"))?);
            after = end;
        }
        Ok((Type::Array { element: Box::new(element), length }, self.template_end(after)?))
    }

    /// The structure declared at this index; it is laid out once, however often it is named.
    fn structure(&mut self, index: usize, members: &Range<usize>) -> Result<Rc<Struct>, Problem> {
        if let Some(Some(known)) = self.structs.get(index) {
            return known.clone();
        }
        let outcome = self.members(members).map(|declared| {
            let name = self.module.declarations.get(index).map_or("", |declaration| declaration.name);
            Rc::new(Struct::new(name, declared))
        });
        if let Some(slot) = self.structs.get_mut(index) {
            *slot = Some(outcome.clone());
        }
        outcome
    }

    fn members(&mut self, tokens: &Range<usize>) -> Result<Vec<Declared>, Problem> {
        let mut declared = Vec::new();
        let mut start = tokens.start;
        while start < tokens.end {
            let (attributes, at) = self.module.attributes(start)?;
            let (mut align, mut size) = (None, None);
            for attribute in &attributes {
                let slot = match attribute.name {
                    "align" => &mut align,
                    "size" => &mut size,
                    _ => continue,
                };
                let value = self.integers(attribute.arguments.start, attribute.arguments.end)?;
                let bytes = value.first().and_then(|integer| u64::try_from(integer.value).ok());
                *slot = Some(bytes.ok_or_else(|| self.module.problem(start, "this needs a number of bytes"))?);
            }
            if align.is_some_and(|bytes| !bytes.is_power_of_two()) {
                return Err(self.module.problem(start, "an alignment is a power of two"));
            }
            let name = self.module.word(at).ok_or_else(|| self.module.wanted(at, "the name of a member"))?;
            let (ty, end) = self.ty(self.module.step_over(at + 1, ':')?)?;
            declared.push((name.to_owned(), ty, align, size));
            start = if end == tokens.end { end } else { self.module.step_over(end, ',')? };
        }
        Ok(declared)
    }
}

/// Columns (of a matrix), components, and the letter of the scalar or a space, from a name such as `vec3` or `mat4x2f`.
fn dimensions(name: &str) -> Option<(Option<u32>, u32, char)> {
    let (columns, mut rest) = match name.strip_prefix("mat") {
        Some(rest) => {
            let mut rest = rest.chars();
            let columns = dimension(&mut rest)?;
            rest.next().filter(|letter| *letter == 'x')?;
            (Some(columns), rest)
        }
        None => (None, name.strip_prefix("vec")?.chars()),
    };
    let rows = dimension(&mut rest)?;
    let suffix = rest.next().unwrap_or(' ');
    rest.next().is_none().then_some((columns, rows, suffix))
}

fn dimension(rest: &mut Chars) -> Option<u32> {
    rest.next()?.to_digit(10).filter(|digit| (2..=4).contains(digit))
}
