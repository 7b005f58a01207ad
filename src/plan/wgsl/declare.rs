use super::lex::{UNCLOSED, is_in_word, is_line_break, starts_number, tokens};
use super::{Fault, Problem};
use std::cell::Cell;

/// What a declaration declares.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// `alias`
    Alias,
    /// `struct`
    Struct,
    /// `const`
    Const,
    /// `override`
    Override,
    /// `var`
    Var,
    /// `fn`
    Function,
}

/// A declaration at module scope. Positions are indexes of tokens.
#[derive(Clone, Copy, Debug)]
pub struct Declaration<'a> {
    /// What it declares.
    pub kind: Kind,
    /// Its name.
    pub name: &'a str,
    /// Its first token, attributes included.
    pub start: usize,
    /// Its keyword.
    pub keyword: usize,
    /// Its name's token.
    pub at: usize,
    /// The token behind it.
    pub end: usize,
}

/// A WGSL module, cut into declarations.
#[derive(Debug)]
pub struct Module<'a> {
    source: &'a str,
    tokens: Vec<&'a str>,
    /// Its declarations, in order.
    pub declarations: Vec<Declaration<'a>>,
    /// The names on its `enable` lines.
    pub enables: Vec<&'a str>,
    /// What stopped the reader last.
    pub problem: Cell<Problem>,
}

impl<'a> Module<'a> {
    /// Cuts WGSL into tokens; [`Module::declare`] finds its declarations.
    pub fn new(source: &'a str) -> Module<'a> {
        let problem = Cell::new(Problem { at: 0, fault: Fault::NoBuffer });
        Module { source, tokens: tokens(source), declarations: Vec::new(), enables: Vec::new(), problem }
    }

    /// Finds the declarations. Stops at text that is none: something a WGSL compiler would refuse too, or syntax newer
    /// than this reader.
    pub fn declare(&mut self) -> Option<()> {
        let last = self.tokens.len().saturating_sub(1);
        if self.token(last) == UNCLOSED {
            return self.here(last, "a block comment has no end");
        }
        let mut at = 0;
        while at < self.tokens.len() {
            self.directive_or_declaration(&mut at)?;
        }
        Some(())
    }

    /// Stops the reader: something else was to come at this token.
    pub fn wanted<T>(&self, at: usize, what: &'static str) -> Option<T> {
        self.problem.set(Problem { at, fault: Fault::Wanted(what) });
        None
    }

    /// Stops the reader at this token, for a reason that goes on the sentence it begins.
    pub fn wrong<T>(&self, at: usize, what: &'static str) -> Option<T> {
        self.problem.set(Problem { at, fault: Fault::Token(what) });
        None
    }

    /// Stops the reader here, for a reason that is a sentence.
    pub fn here<T>(&self, at: usize, what: &'static str) -> Option<T> {
        self.problem.set(Problem { at, fault: Fault::Here(what) });
        None
    }

    /// The declaration of this name and its index, if there is one.
    pub fn find(&self, name: &str) -> Option<(usize, &Declaration<'a>)> {
        self.declarations.iter().enumerate().find(|(_, declaration)| declaration.name == name)
    }

    /// The text of this token; empty behind the last.
    pub fn token(&self, at: usize) -> &'a str {
        self.tokens.get(at).copied().unwrap_or("")
    }

    /// The word at this token, if it is one.
    pub fn word(&self, at: usize) -> Option<&'a str> {
        let text = self.token(at);
        (text.starts_with(is_in_word) && !starts_number(text)).then_some(text)
    }

    /// The sign that this token is; `_` for anything longer, zero behind the last.
    pub fn sign(&self, at: usize) -> u8 {
        match self.token(at).as_bytes() {
            [] => 0,
            [sign] => *sign,
            _ => b'_',
        }
    }

    /// Whether the sign at this token stands there twice, side by side, as in `<<`.
    pub fn is_pair(&self, at: usize) -> bool {
        self.sign(at) == self.sign(at + 1) && self.offset(at) + 1 == self.offset(at + 1)
    }

    /// Bytes before this token.
    fn offset(&self, at: usize) -> usize {
        match self.tokens.get(at) {
            Some(text) => text.as_ptr() as usize - self.source.as_ptr() as usize,
            None => self.source.len(),
        }
    }

    /// The line of this token, counted from 1.
    ///
    /// # Source
    /// WGSL, section 3.1 "Blankspace and Line Breaks".
    pub fn line(&self, at: usize) -> u32 {
        let mut line = 1;
        let mut previous = ' ';
        for character in self.source.get(..self.offset(at)).unwrap_or("").chars() {
            let is_second_half = previous == '\r' && character == '\n';
            if is_line_break(character) && !is_second_half {
                line += 1;
            }
            previous = character;
        }
        line
    }

    /// The problem in words, as the end of the sentence "line 3: ...".
    pub fn words(&self) -> String {
        let problem = self.problem.get();
        let found = match self.token(problem.at) {
            "" => "the end",
            found => found,
        };
        match problem.fault {
            Fault::Sign(sign) => format!("expected `{}`, found `{found}`", char::from(sign)),
            Fault::Wanted(what) => format!("expected {what}, found `{found}`"),
            Fault::Token(what) => format!("`{found}` {what}"),
            Fault::Here(what) => what.to_owned(),
            Fault::NoBuffer => self.kind_of_variable(found).to_owned(),
        }
    }

    /// What the variable of this name is: its address space, or without one its type.
    fn kind_of_variable(&self, name: &str) -> &str {
        let Some((_, declaration)) = self.find(name) else { return "" };
        let (start, end) = match self.type_of(declaration) {
            Some(ty) if self.space(declaration).is_empty() => (ty, declaration.end - 1),
            _ => (declaration.keyword, declaration.at),
        };
        self.source.get(self.offset(start)..self.offset(end)).unwrap_or("").trim_ascii_end()
    }

    /// The address space of a variable; empty without one.
    pub fn space(&self, variable: &Declaration) -> &'a str {
        if self.sign(variable.keyword + 1) == b'<' { self.token(variable.keyword + 2) } else { "" }
    }

    /// The access mode of a variable; empty without one.
    pub fn access(&self, variable: &Declaration) -> &'a str {
        match self.token(variable.keyword + 4) {
            access if self.sign(variable.keyword + 3) == b',' && access != ">" => access,
            _ => "",
        }
    }

    /// Where the arguments of this attribute begin, among the attributes from `at` on; if it takes none, behind it.
    pub fn attribute(&self, mut at: usize, name: &str) -> Option<usize> {
        while self.sign(at) == b'@' {
            if self.token(at + 1) == name {
                return Some(if self.sign(at + 2) == b'(' { at + 3 } else { at + 2 });
            }
            self.skip_attribute(&mut at)?;
        }
        None
    }

    /// Steps over attributes.
    pub fn skip_attributes(&self, at: &mut usize) -> Option<()> {
        while self.sign(*at) == b'@' {
            self.skip_attribute(at)?;
        }
        Some(())
    }

    fn skip_attribute(&self, at: &mut usize) -> Option<()> {
        *at += 2;
        if self.word(*at - 1).is_none() {
            return self.wanted(*at - 1, "the name of an attribute");
        }
        if self.sign(*at) == b'(' { self.skip_brackets(at, b'(', b')') } else { Some(()) }
    }

    fn directive_or_declaration(&mut self, at: &mut usize) -> Option<()> {
        let start = *at;
        self.skip_attributes(at)?;
        let keyword = *at;
        *at += 1;
        let kind = match self.token(keyword) {
            ";" => return Some(()),
            "enable" => {
                self.skip_statement(at)?;
                for name in keyword + 1..*at {
                    if let Some(name) = self.word(name) {
                        self.enables.push(name);
                    }
                }
                return Some(());
            }
            "requires" | "diagnostic" | "const_assert" => return self.skip_statement(at),
            "alias" => Kind::Alias,
            "struct" => Kind::Struct,
            "const" => Kind::Const,
            "override" => Kind::Override,
            "var" => Kind::Var,
            "fn" => Kind::Function,
            _ => return self.wanted(keyword, "a declaration"),
        };
        if kind == Kind::Var && self.sign(*at) == b'<' {
            self.skip_brackets(at, b'<', b'>')?;
        }
        let name_at = *at;
        let Some(name) = self.word(name_at) else { return self.wanted(name_at, "a name") };
        *at += 1;
        if kind == Kind::Function {
            self.skip_brackets(at, b'(', b')')?;
            *at = self.body(*at);
        }
        if matches!(kind, Kind::Function | Kind::Struct) {
            self.skip_brackets(at, b'{', b'}')?;
        } else {
            self.skip_statement(at)?;
        }
        self.declarations.push(Declaration { kind, name, start, keyword, at: name_at, end: *at });
        Some(())
    }

    /// The brace that opens the body of the function whose head goes on here.
    pub fn body(&self, mut at: usize) -> usize {
        while !matches!(self.sign(at), b'{' | 0) {
            at += 1;
        }
        at
    }

    /// Where the type of a constant or a variable begins, if it has one.
    pub fn type_of(&self, declaration: &Declaration) -> Option<usize> {
        (self.sign(declaration.at + 1) == b':').then_some(declaration.at + 2)
    }

    /// Where the value of a constant begins, if it has one.
    pub fn value_of(&self, declaration: &Declaration) -> Option<usize> {
        (declaration.at + 1..declaration.end).find(|at| self.sign(*at) == b'=').map(|equals| equals + 1)
    }

    /// Steps over this sign.
    pub fn step_over(&self, at: &mut usize, sign: u8) -> Option<()> {
        if self.sign(*at) == sign {
            *at += 1;
            return Some(());
        }
        self.problem.set(Problem { at: *at, fault: Fault::Sign(sign) });
        None
    }

    /// Steps over the rest of a statement without braces.
    fn skip_statement(&self, at: &mut usize) -> Option<()> {
        while !matches!(self.sign(*at), b';' | b'{' | b'}' | 0) {
            *at += 1;
        }
        self.step_over(at, b';')
    }

    /// Steps over what is between brackets, and over these.
    fn skip_brackets(&self, at: &mut usize, open: u8, close: u8) -> Option<()> {
        let start = *at;
        self.step_over(at, open)?;
        let mut depth = 1_usize;
        while depth > 0 {
            match self.sign(*at) {
                0 => return self.wrong(start, "is not closed"),
                sign if sign == open => depth += 1,
                sign if sign == close => depth -= 1,
                _ => {}
            }
            *at += 1;
        }
        Some(())
    }
}
