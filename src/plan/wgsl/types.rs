use super::{Kind, Reader};
use crate::plan::layout::{Array, Struct};
use crate::plan::{Scalar, Type};
use std::rc::Rc;

impl Reader<'_, '_> {
    /// The type that starts at this token.
    pub fn type_at(&mut self, at: usize) -> Option<Type> {
        self.at = at;
        self.ty()
    }

    fn ty(&mut self) -> Option<Type> {
        self.enter()?;
        let outcome = self.read_type();
        self.leave();
        outcome
    }

    fn read_type(&mut self) -> Option<Type> {
        let at = self.at;
        let Some(name) = self.module.word(at) else { return self.module.wanted(at, "a type") };
        self.at += 1;
        if let Some((index, declaration)) = self.module.find(name) {
            let after = self.at;
            self.at = declaration.at + 1;
            let ty = match declaration.kind {
                Kind::Alias => {
                    self.step_over(b'=')?;
                    self.ty()?
                }
                Kind::Struct => Type::Struct(self.structure(index, declaration.name)?),
                _ => return self.unknown_type(at),
            };
            self.at = after;
            return Some(ty);
        }
        if let Some(scalar) = Scalar::from_name(name) {
            return Some(Type::Scalar(scalar));
        }
        if name == "array" {
            return self.array();
        }
        if name == "atomic" {
            return Some(Type::Atomic(self.scalar_in_template()?));
        }
        let (columns, rows, suffix) = match name.as_bytes() {
            [b'v', b'e', b'c', rows, suffix @ ..] => (b'1', *rows, suffix),
            [b'm', b'a', b't', columns @ b'2'..=b'4', b'x', rows, suffix @ ..] => (*columns, *rows, suffix),
            _ => return self.unknown_type(at),
        };
        let is_vector = columns == b'1';
        let scalar = match suffix {
            _ if !(b'2'..=b'4').contains(&rows) => return self.unknown_type(at),
            b"" => self.scalar_in_template()?,
            b"f" => Scalar::F32,
            b"h" => Scalar::F16,
            b"i" if is_vector => Scalar::I32,
            b"u" if is_vector => Scalar::U32,
            _ => return self.unknown_type(at),
        };
        let (columns, rows) = (columns - b'0', rows - b'0');
        Some(if is_vector { Type::Vector { components: rows, scalar } } else { Type::Matrix { columns, rows, scalar } })
    }

    fn unknown_type<T>(&self, at: usize) -> Option<T> {
        self.module.wrong(at, "is not a type the reader knows the layout of")
    }

    fn scalar_in_template(&mut self) -> Option<Scalar> {
        self.step_over(b'<')?;
        let at = self.at;
        match self.ty()? {
            Type::Scalar(scalar) => {
                self.end_template()?;
                Some(scalar)
            }
            _ => self.module.wanted(at, "a scalar type"),
        }
    }

    /// Steps over the end of a template list, a trailing comma included.
    fn end_template(&mut self) -> Option<()> {
        self.skip(b',');
        self.step_over(b'>')
    }

    fn array(&mut self) -> Option<Type> {
        self.step_over(b'<')?;
        let element = self.ty()?;
        let mut length = None;
        if self.skip(b',') && self.sign() != b'>' {
            let at = self.at;
            let count = self.integer(true)?.value;
            if count <= 0 {
                return self.module.here(at, "an array needs a positive length");
            }
            length = Some(count as u64);
        }
        self.end_template()?;
        Some(Type::Array(Box::new(Array { element, length })))
    }

    /// The structure declared at this index, whose members begin here; it is laid out once, however often it is named.
    fn structure(&mut self, index: usize, name: &str) -> Option<Rc<Struct>> {
        for (known, structure) in &self.structs {
            if *known == index {
                return Some(structure.clone());
            }
        }
        let mut structure = Struct::new(name);
        self.step_over(b'{')?;
        while !self.skip(b'}') {
            let attributes = self.at;
            let align = self.bytes(attributes, "align")?;
            if !align.is_none_or(u64::is_power_of_two) {
                return self.module.here(attributes, "an alignment is a power of two");
            }
            let size = self.bytes(attributes, "size")?;
            self.module.skip_attributes(&mut self.at)?;
            let Some(name) = self.module.word(self.at) else {
                return self.module.wanted(self.at, "the name of a member");
            };
            self.at += 1;
            self.step_over(b':')?;
            let ty = self.ty()?;
            structure.add(name, ty, align, size);
            if self.sign() != b'}' {
                self.step_over(b',')?;
            }
        }
        structure.finish();
        let structure = Rc::new(structure);
        self.structs.push((index, structure.clone()));
        Some(structure)
    }

    /// What this attribute says, among those from `attributes` on, if it is there.
    fn bytes(&mut self, attributes: usize, name: &str) -> Option<Option<u64>> {
        match self.module.attribute(attributes, name) {
            None => Some(None),
            Some(at) => match self.argument(at)? {
                bytes @ 0.. => Some(Some(bytes as u64)),
                _ => self.module.here(attributes, "this needs a number of bytes"),
            },
        }
    }
}
