use super::Problem;
use super::lex::{Kind as TokenKind, Token, tokens};
use std::ops::Range;

/// An attribute such as `@binding(2)`.
#[derive(Clone, Debug)]
pub struct Attribute<'a> {
    /// Its name.
    pub name: &'a str,
    /// The tokens between its parentheses; empty without.
    pub arguments: Range<usize>,
}

/// What a declaration declares. Positions are indexes of tokens.
#[derive(Clone, Debug)]
pub enum Kind<'a> {
    /// `alias`, with where its type starts.
    Alias(usize),
    /// `struct`, with the tokens between its braces.
    Struct(Range<usize>),
    /// `const`, with where its type and its value start.
    Const(Option<usize>, usize),
    /// `override`, with where its type and its default start.
    Override(Option<usize>, Option<usize>),
    /// `var`, with its address space, its access mode and where its type starts.
    Var(Option<&'a str>, Option<&'a str>, Option<usize>),
    /// `fn`, with the tokens of its parameters, of its result and of its body.
    Function(Range<usize>, Range<usize>, Range<usize>),
}

/// A declaration at module scope.
#[derive(Clone, Debug)]
pub struct Declaration<'a> {
    /// Its name.
    pub name: &'a str,
    /// Index of the name's token.
    pub at: usize,
    /// Its attributes, in order.
    pub attributes: Vec<Attribute<'a>>,
    /// What it declares.
    pub kind: Kind<'a>,
    /// All its tokens, attributes included.
    pub tokens: Range<usize>,
}

impl<'a> Declaration<'a> {
    /// The attribute of this name, if there is one.
    pub fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

/// A WGSL module, cut into declarations.
#[derive(Debug)]
pub struct Module<'a> {
    /// Its tokens.
    pub tokens: Vec<Token<'a>>,
    /// Its declarations, in order.
    pub declarations: Vec<Declaration<'a>>,
    /// The names on its `enable` lines.
    pub enables: Vec<&'a str>,
    /// Bytes of its text.
    pub text_len: usize,
}

/// Cuts WGSL into declarations.
///
/// # Errors
/// Text that is not declarations: something a WGSL compiler would refuse too, or syntax newer than this reader.
pub fn declarations(source: &str) -> Result<Module<'_>, Problem> {
    let mut module =
        Module { tokens: tokens(source)?, declarations: Vec::new(), enables: Vec::new(), text_len: source.len() };
    let mut at = 0;
    while at < module.tokens.len() {
        at = module.directive_or_declaration(at)?;
    }
    Ok(module)
}

impl<'a> Module<'a> {
    /// The declaration of this name and its index, if there is one.
    pub fn find(&self, name: &str) -> Option<(usize, &Declaration<'a>)> {
        self.declarations.iter().enumerate().find(|(_, declaration)| declaration.name == name)
    }

    /// The word at this token, if it is one.
    pub fn word(&self, at: usize) -> Option<&'a str> {
        self.tokens.get(at).filter(|token| token.kind == TokenKind::Word).map(|token| token.text)
    }

    /// Whether this token is this character.
    pub fn is(&self, at: usize, sign: char) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Sign(sign))
    }

    /// Whether two characters stand side by side here, as in `<<`.
    pub fn is_pair(&self, at: usize, sign: char) -> bool {
        match (self.tokens.get(at), self.tokens.get(at + 1)) {
            (Some(first), Some(second)) => {
                self.is(at, sign) && self.is(at + 1, sign) && first.offset + 1 == second.offset
            }
            _ => false,
        }
    }

    /// The problem at this token.
    pub fn problem(&self, at: usize, problem: &str) -> Problem {
        let offset = self.tokens.get(at).map_or(self.text_len, |token| token.offset);
        Problem { offset, problem: problem.to_owned() }
    }

    /// The problem that something else was to come here.
    pub fn wanted(&self, at: usize, what: &str) -> Problem {
        let found = self.tokens.get(at).map_or("the end", |token| token.text);
        self.problem(at, &["expected ", what, ", found `", found, "`"].concat())
    }

    /// Steps over this character.
    pub fn step_over(&self, at: usize, sign: char) -> Result<usize, Problem> {
        if self.is(at, sign) {
            Ok(at + 1)
        } else {
            Err(self.wanted(at, &["`", sign.encode_utf8(&mut [0; 4]), "`"].concat()))
        }
    }

    fn directive_or_declaration(&mut self, start: usize) -> Result<usize, Problem> {
        let (attributes, at) = self.attributes(start)?;
        if self.is(at, ';') {
            return Ok(at + 1);
        }
        let keyword = self.word(at).ok_or_else(|| self.wanted(at, "a declaration"))?;
        let body = at + 1;
        match keyword {
            "enable" => {
                let end = self.statement_end(body)?;
                self.enables.extend((body..end).filter_map(|token| self.word(token)).collect::<Vec<_>>());
                return Ok(end + 1);
            }
            "requires" | "diagnostic" | "const_assert" => return Ok(self.statement_end(body)? + 1),
            _ => {}
        }
        let (kind, name_at, end) = match keyword {
            "alias" => {
                let ty = self.step_over(body + 1, '=')?;
                (Kind::Alias(ty), body, self.statement_end(ty)? + 1)
            }
            "struct" => {
                let open = self.step_over(body + 1, '{')?;
                let close = self.closing(open, '{', '}')?;
                (Kind::Struct(open..close), body, close + 1)
            }
            "const" | "override" => {
                let (ty, value, end) = self.type_and_value(body + 1)?;
                let kind = match (keyword, value) {
                    ("override", value) => Kind::Override(ty, value),
                    (_, Some(value)) => Kind::Const(ty, value),
                    (_, None) => return Err(self.wanted(end, "a value")),
                };
                (kind, body, end + 1)
            }
            "var" => self.variable(body)?,
            "fn" => self.function(body)?,
            _ => return Err(self.wanted(at, "a declaration")),
        };
        let name = self.word(name_at).ok_or_else(|| self.wanted(name_at, "a name"))?;
        self.declarations.push(Declaration { name, at: name_at, attributes, kind, tokens: start..end });
        Ok(end)
    }

    /// The attributes from here on, and the token behind them.
    pub fn attributes(&self, start: usize) -> Result<(Vec<Attribute<'a>>, usize), Problem> {
        let mut attributes = Vec::new();
        let mut at = start;
        while self.is(at, '@') {
            let name = self.word(at + 1).ok_or_else(|| self.wanted(at + 1, "the name of an attribute"))?;
            at += 2;
            let mut arguments = at..at;
            if self.is(at, '(') {
                let close = self.closing(at + 1, '(', ')')?;
                arguments = at + 1..close;
                at = close + 1;
            }
            attributes.push(Attribute { name, arguments });
        }
        Ok((attributes, at))
    }

    /// `: type = value;`, both optional: where they start, and the semicolon.
    fn type_and_value(&self, at: usize) -> Result<(Option<usize>, Option<usize>, usize), Problem> {
        let end = self.statement_end(at)?;
        let ty = self.is(at, ':').then_some(at + 1);
        let equals = (at..end).find(|token| self.is(*token, '='));
        if ty.is_none() && equals.unwrap_or(end) != at {
            return Err(self.wanted(at, "`:`, `=` or `;`"));
        }
        Ok((ty, equals.map(|equals| equals + 1), end))
    }

    fn variable(&self, at: usize) -> Result<(Kind<'a>, usize, usize), Problem> {
        let (mut space, mut access, mut name_at) = (None, None, at);
        if self.is(at, '<') {
            space = Some(self.word(at + 1).ok_or_else(|| self.wanted(at + 1, "an address space"))?);
            let mut close = at + 2;
            if self.is(close, ',') && self.word(close + 1).is_some() {
                access = self.word(close + 1);
                close += 2;
            }
            if self.is(close, ',') {
                close += 1;
            }
            name_at = self.step_over(close, '>')?;
        }
        let (ty, _, end) = self.type_and_value(name_at + 1)?;
        Ok((Kind::Var(space, access, ty), name_at, end + 1))
    }

    fn function(&self, name_at: usize) -> Result<(Kind<'a>, usize, usize), Problem> {
        let open = self.step_over(name_at + 1, '(')?;
        let close = self.closing(open, '(', ')')?;
        let mut brace = close + 1;
        while brace < self.tokens.len() && !self.is(brace, '{') {
            brace += 1;
        }
        let body = self.step_over(brace, '{')?;
        let end = self.closing(body, '{', '}')?;
        Ok((Kind::Function(open..close, close + 1..brace, body..end), name_at, end + 1))
    }

    /// The semicolon that ends a statement without braces.
    fn statement_end(&self, start: usize) -> Result<usize, Problem> {
        let end = (start..self.tokens.len()).find(|at| self.is(*at, ';') || self.is(*at, '{') || self.is(*at, '}'));
        match end {
            Some(end) if self.is(end, ';') => Ok(end),
            end => Err(self.wanted(end.unwrap_or(self.tokens.len()), "`;`")),
        }
    }

    /// The token that closes what was opened just before `start`.
    fn closing(&self, start: usize, open: char, close: char) -> Result<usize, Problem> {
        let mut depth = 1_usize;
        for at in start..self.tokens.len() {
            if self.is(at, open) {
                depth += 1;
            } else if self.is(at, close) {
                depth -= 1;
            }
            if depth == 0 {
                return Ok(at);
            }
        }
        Err(self.problem(start - 1, &["`", open.encode_utf8(&mut [0; 4]), "` is not closed"].concat()))
    }
}
