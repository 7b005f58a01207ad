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
        let problem = Cell::new(Problem { at: 0, fault: Fault::Here("") });
        Module { source, tokens: tokens(source), declarations: Vec::new(), enables: Vec::new(), problem }
    }

    /// Finds the declarations. Stops at text that is none: something a WGSL compiler would refuse too, or syntax newer
    /// than this reader.
    pub fn declare(&mut self) -> Option<()> {
        let last = self.tokens.len().saturating_sub(1);
        if self.token(last) == UNCLOSED {
            return self.stop(last, Fault::Here("a block comment has no end"));
        }
        let mut at = 0;
        while at < self.tokens.len() {
            at = self.directive_or_declaration(at)?;
        }
        Some(())
    }

    /// Stops the reader with a problem at this token.
    pub fn stop<T>(&self, at: usize, fault: Fault) -> Option<T> {
        self.problem.set(Problem { at, fault });
        None
    }

    /// Stops the reader because something else was to come here.
    pub fn wanted<T>(&self, at: usize, what: &'static str) -> Option<T> {
        self.stop(at, Fault::Wanted(what))
    }

    /// The declaration of this name and its index, if there is one.
    pub fn find(&self, name: &str) -> Option<(usize, Declaration<'a>)> {
        for (index, declaration) in self.declarations.iter().enumerate() {
            if declaration.name == name {
                return Some((index, *declaration));
            }
        }
        None
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

    /// Whether this token is this one.
    pub fn is(&self, at: usize, text: &str) -> bool {
        self.token(at) == text
    }

    /// Whether two characters stand side by side here, as in `<<`.
    pub fn is_pair(&self, at: usize) -> bool {
        self.is(at + 1, self.token(at)) && self.offset(at) + 1 == self.offset(at + 1)
    }

    /// Bytes before this token.
    fn offset(&self, at: usize) -> usize {
        match self.tokens.get(at) {
            Some(text) => text.as_ptr() as usize - self.source.as_ptr() as usize,
            None => self.source.len(),
        }
    }

    /// The text from one token up to another.
    pub fn text(&self, start: usize, end: usize) -> &'a str {
        self.source.get(self.offset(start)..self.offset(end)).unwrap_or("").trim_end()
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
            Fault::Wanted(what) if what.starts_with(is_in_word) => format!("expected {what}, found `{found}`"),
            Fault::Wanted(sign) => format!("expected `{sign}`, found `{found}`"),
            Fault::Token(what) => format!("`{found}` {what}"),
            Fault::Here(what) => what.to_owned(),
        }
    }

    /// Where the arguments of this attribute begin, among the attributes from `start` on; if it takes none, behind it.
    pub fn attribute(&self, start: usize, name: &str) -> Option<usize> {
        let mut at = start;
        while self.is(at, "@") {
            let arguments = if self.is(at + 2, "(") { at + 3 } else { at + 2 };
            if self.is(at + 1, name) {
                return Some(arguments);
            }
            at = self.behind_attribute(at)?;
        }
        None
    }

    /// The token behind the attributes from `start` on.
    pub fn behind_attributes(&self, start: usize) -> Option<usize> {
        let mut at = start;
        while self.is(at, "@") {
            at = self.behind_attribute(at)?;
        }
        Some(at)
    }

    fn behind_attribute(&self, at: usize) -> Option<usize> {
        if self.word(at + 1).is_none() {
            return self.wanted(at + 1, "the name of an attribute");
        }
        if self.is(at + 2, "(") { self.behind(at + 2, "(", ")") } else { Some(at + 2) }
    }

    fn directive_or_declaration(&mut self, start: usize) -> Option<usize> {
        let keyword = self.behind_attributes(start)?;
        let kind = match self.token(keyword) {
            ";" => return Some(keyword + 1),
            "enable" => {
                let end = self.statement_end(keyword)?;
                for at in keyword + 1..end {
                    if let Some(name) = self.word(at) {
                        self.enables.push(name);
                    }
                }
                return Some(end);
            }
            "requires" | "diagnostic" | "const_assert" => return self.statement_end(keyword),
            "alias" => Kind::Alias,
            "struct" => Kind::Struct,
            "const" => Kind::Const,
            "override" => Kind::Override,
            "var" => Kind::Var,
            "fn" => Kind::Function,
            _ => return self.wanted(keyword, "a declaration"),
        };
        let mut at = keyword + 1;
        if kind == Kind::Var && self.is(at, "<") {
            at = self.behind(at, "<", ">")?;
        }
        let Some(name) = self.word(at) else { return self.wanted(at, "a name") };
        let end = match kind {
            Kind::Function => self.behind(self.body(self.behind(at + 1, "(", ")")?), "{", "}")?,
            Kind::Struct => self.behind(at + 1, "{", "}")?,
            Kind::Alias | Kind::Const | Kind::Override | Kind::Var => self.statement_end(at)?,
        };
        self.declarations.push(Declaration { kind, name, start, keyword, at, end });
        Some(end)
    }

    /// The brace that opens the body of the function whose head goes on here.
    pub fn body(&self, head: usize) -> usize {
        let mut at = head;
        while at < self.tokens.len() && !self.is(at, "{") {
            at += 1;
        }
        at
    }

    /// Where the type of a constant or a variable begins, if it has one.
    pub fn type_of(&self, declaration: &Declaration) -> Option<usize> {
        self.is(declaration.at + 1, ":").then_some(declaration.at + 2)
    }

    /// Where the value of a constant begins, if it has one.
    pub fn value_of(&self, declaration: &Declaration) -> Option<usize> {
        let mut at = declaration.at + 1;
        while at < declaration.end {
            at += 1;
            if self.is(at - 1, "=") {
                return Some(at);
            }
        }
        None
    }

    /// The token behind this one, which must be `sign`.
    pub fn step_over(&self, at: usize, sign: &'static str) -> Option<usize> {
        if self.is(at, sign) { Some(at + 1) } else { self.wanted(at, sign) }
    }

    /// The token behind the semicolon that ends a statement without braces.
    fn statement_end(&self, start: usize) -> Option<usize> {
        let mut at = start;
        loop {
            match self.token(at) {
                ";" => return Some(at + 1),
                "" | "{" | "}" => return self.wanted(at, ";"),
                _ => at += 1,
            }
        }
    }

    /// The token behind the one that closes what this one opens.
    fn behind(&self, start: usize, open: &'static str, close: &str) -> Option<usize> {
        let mut at = self.step_over(start, open)?;
        let mut depth = 1_usize;
        while depth > 0 {
            match self.token(at) {
                "" => return self.stop(start, Fault::Token("is not closed")),
                text if text == open => depth += 1,
                text if text == close => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        Some(at)
    }
}
