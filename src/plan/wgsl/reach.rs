use super::{Declaration, Kind, Module};

/// Which declarations the one at this index can use, itself included, by index.
///
/// Follows every name that is not hidden by a parameter or a local variable, so a name in code that never runs counts:
/// WebGPU counts it too.
pub fn reached(module: &Module, index: usize) -> Vec<bool> {
    reached_from(module, vec![index])
}

/// Whether a function takes this builtin value, as a parameter or in a structure that is one.
pub fn takes_builtin(module: &Module, function: &Declaration, builtin: &str) -> bool {
    let body = module.body(function.at);
    let mut uses = Uses { module, found: Vec::new() };
    uses.outside_bodies(function.at + 1, body);
    let mut takes_it = has_builtin(module, function.at, body, builtin);
    for (declaration, is_reached) in module.declarations.iter().zip(reached_from(module, uses.found)) {
        if is_reached && declaration.kind == Kind::Struct {
            takes_it |= has_builtin(module, declaration.at, declaration.end, builtin);
        }
    }
    takes_it
}

fn has_builtin(module: &Module, start: usize, end: usize, builtin: &str) -> bool {
    (start..end).any(|at| module.token(at) == "builtin" && module.token(at + 2) == builtin)
}

fn reached_from(module: &Module, start: Vec<usize>) -> Vec<bool> {
    let mut reached = vec![false; module.declarations.len()];
    let mut uses = Uses { module, found: start };
    while let Some(index) = uses.found.pop() {
        let (Some(is_reached), Some(declaration)) = (reached.get_mut(index), module.declarations.get(index)) else {
            continue;
        };
        if *is_reached {
            continue;
        }
        *is_reached = true;
        match declaration.kind {
            Kind::Function => {
                let body = module.body(declaration.at);
                uses.outside_bodies(declaration.start, body);
                uses.body(declaration.at, body, declaration.end);
            }
            // What stands before the name is WGSL's own: address space and access mode.
            Kind::Var => uses.outside_bodies(declaration.at, declaration.end),
            _ => uses.outside_bodies(declaration.start, declaration.end),
        }
    }
    reached
}

/// Finds the declarations that tokens name.
struct Uses<'m, 'a> {
    module: &'m Module<'a>,
    /// By index.
    found: Vec<usize>,
}

impl<'a> Uses<'_, 'a> {
    fn name(&mut self, name: &str) {
        if let Some((index, _)) = self.module.find(name) {
            self.found.push(index);
        }
    }

    /// Uses in attributes, types and values: every word but attributes, members and what has a colon behind it.
    fn outside_bodies(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            match self.module.sign(at) {
                b'@' => at = self.attribute(at),
                b'.' => at += 2,
                _ => {
                    if self.module.sign(at + 1) != b':' {
                        self.name(self.module.token(at));
                    }
                    at += 1;
                }
            }
        }
    }

    /// The token from which the words of an attribute are uses: its arguments, unless they are names of WGSL's own.
    fn attribute(&self, at: usize) -> usize {
        match self.module.token(at + 1) {
            "builtin" | "interpolate" | "diagnostic" => self.behind(at, b')'),
            _ => at + 2,
        }
    }

    /// The token behind the next of these signs.
    fn behind(&self, mut at: usize, wanted: u8) -> usize {
        loop {
            let sign = self.module.sign(at);
            at += 1;
            if sign == wanted || sign == 0 {
                return at;
            }
        }
    }

    fn body(&mut self, head: usize, body: usize, end: usize) {
        let mut locals: Vec<&'a str> = Vec::new();
        for at in head..body {
            if self.module.sign(at + 1) == b':' {
                locals.push(self.module.token(at));
            }
        }
        // How many locals there were where each open block began; a `for` has a block around its body that closes with it.
        let mut blocks: Vec<(usize, bool)> = Vec::new();
        let mut pending = None;
        let mut at = body;
        while at < end {
            let sign = self.module.sign(at);
            at += 1;
            match sign {
                b'@' => at = self.attribute(at - 1),
                b'{' => blocks.push((locals.len(), false)),
                b'}' => {
                    while let Some((outer, _)) = blocks.pop() {
                        locals.truncate(outer);
                        if !matches!(blocks.last(), Some((_, true))) {
                            break;
                        }
                    }
                }
                // A variable is in scope from the end of its own declaration on.
                b';' => {
                    if let Some(name) = pending.take() {
                        locals.push(name);
                    }
                }
                // A member.
                b'.' => at += 1,
                _ => match self.module.token(at - 1) {
                    "for" => blocks.push((locals.len(), true)),
                    "let" | "const" | "var" => {
                        // Behind the template list of `var<function>`.
                        if self.module.sign(at) == b'<' {
                            at = self.behind(at, b'>');
                        }
                        pending = self.module.word(at);
                        at += 1;
                    }
                    name if locals.contains(&name) => {}
                    name => self.name(name),
                },
            }
        }
    }
}
