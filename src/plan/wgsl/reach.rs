use super::lex::Kind as TokenKind;
use super::{Kind, Module};
use std::ops::Range;

/// Which declarations the one at `start` can use, itself included, by index.
///
/// Follows every name that is not hidden by a parameter or a local variable, so a name in code that never runs counts:
/// WebGPU counts it too.
pub fn reached(module: &Module, start: usize) -> Vec<bool> {
    let mut reached = vec![false; module.declarations.len()];
    let mut waiting = vec![start];
    while let Some(index) = waiting.pop() {
        let (Some(seen), Some(declaration)) = (reached.get_mut(index), module.declarations.get(index)) else {
            continue;
        };
        if *seen {
            continue;
        }
        *seen = true;
        let mut uses = Uses { module, found: &mut waiting };
        match &declaration.kind {
            Kind::Function(parameters, result, body) => {
                uses.outside_bodies(declaration.tokens.start..declaration.at);
                uses.outside_bodies(parameters.clone());
                uses.outside_bodies(result.clone());
                uses.body(parameters, body);
            }
            // What stands before the name is WGSL's own: address space and access mode.
            Kind::Var(..) => uses.outside_bodies(declaration.at + 1..declaration.tokens.end),
            _ => uses.outside_bodies(declaration.tokens.clone()),
        }
    }
    reached
}

/// Whether a function takes this builtin value, as a parameter or in a structure that is one.
pub fn takes_builtin(module: &Module, parameters: &Range<usize>, builtin: &str) -> bool {
    if has_builtin(module, parameters, builtin) {
        return true;
    }
    let mut named = Vec::new();
    Uses { module, found: &mut named }.outside_bodies(parameters.clone());
    named.into_iter().any(|index| {
        let members = |(index, reached): (usize, bool)| match &module.declarations.get(index)?.kind {
            Kind::Struct(members) if reached => Some(members),
            _ => None,
        };
        reached(module, index)
            .into_iter()
            .enumerate()
            .filter_map(members)
            .any(|tokens| has_builtin(module, tokens, builtin))
    })
}

fn has_builtin(module: &Module, tokens: &Range<usize>, builtin: &str) -> bool {
    tokens.clone().any(|at| {
        module.is(at, '@')
            && module.word(at + 1) == Some("builtin")
            && module.is(at + 2, '(')
            && module.word(at + 3) == Some(builtin)
    })
}

struct Uses<'m, 'a> {
    module: &'m Module<'a>,
    found: &'m mut Vec<usize>,
}

impl<'a> Uses<'_, 'a> {
    fn name(&mut self, name: &str) {
        self.found.extend(self.module.find(name).map(|(index, _)| index));
    }

    /// Uses in attributes, types and values: every word but attributes and what is declared with a colon behind it.
    fn outside_bodies(&mut self, tokens: Range<usize>) {
        let mut at = tokens.start;
        while at < tokens.end {
            if self.module.is(at, '@') {
                at = self.attribute(at);
                continue;
            }
            // A member.
            if self.module.is(at, '.') {
                at += 2;
                continue;
            }
            if let Some(name) = self.module.word(at).filter(|_| !self.module.is(at + 1, ':')) {
                self.name(name);
            }
            at += 1;
        }
    }

    /// The token from which the words of an attribute are uses: its arguments, unless they are names of WGSL's own.
    fn attribute(&self, at: usize) -> usize {
        let own_words = matches!(self.module.word(at + 1), Some("builtin" | "interpolate" | "diagnostic"));
        if own_words && self.module.is(at + 2, '(') {
            let close = (at + 3..self.module.tokens.len()).find(|token| self.module.is(*token, ')'));
            return close.map_or(self.module.tokens.len(), |close| close + 1);
        }
        at + 2
    }

    fn body(&mut self, parameters: &Range<usize>, body: &Range<usize>) {
        let declared = |at: &usize| self.module.is(*at + 1, ':');
        let mut locals: Vec<&'a str> =
            parameters.clone().filter(declared).filter_map(|at| self.module.word(at)).collect();
        // Where each open block began in `locals`; a `for` has a block around its body that closes with it.
        let mut blocks: Vec<(usize, bool)> = Vec::new();
        let mut pending = None;
        let mut at = body.start;
        while at < body.end {
            let Some(token) = self.module.tokens.get(at) else { break };
            at += 1;
            match token.kind {
                TokenKind::Sign('@') => at = self.attribute(at - 1),
                TokenKind::Sign('{') => blocks.push((locals.len(), false)),
                TokenKind::Sign('}') => {
                    while let Some((outer, _)) = blocks.pop() {
                        locals.truncate(outer);
                        if !blocks.last().is_some_and(|(_, is_for)| *is_for) {
                            break;
                        }
                    }
                }
                // A variable is in scope from the end of its own declaration on.
                TokenKind::Sign(';') => locals.extend(pending.take()),
                // A member.
                TokenKind::Sign('.') => at += 1,
                TokenKind::Word => match token.text {
                    "for" => blocks.push((locals.len(), true)),
                    "let" | "const" | "var" => {
                        at = self.local_name(at);
                        pending = self.module.word(at);
                        at += 1;
                    }
                    name if locals.contains(&name) => {}
                    name => self.name(name),
                },
                TokenKind::Sign(_) | TokenKind::Number => {}
            }
        }
    }

    /// Where the name in a local declaration is: behind the template list of `var<function>`.
    fn local_name(&self, at: usize) -> usize {
        if !self.module.is(at, '<') {
            return at;
        }
        let close = (at..self.module.tokens.len()).find(|token| self.module.is(*token, '>'));
        close.map_or(self.module.tokens.len(), |close| close + 1)
    }
}
