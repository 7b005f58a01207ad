//! Prints `src/js/generated/catalog.ts`: the codes, reasons and rules of the crate as TypeScript, so that JavaScript
//! has the one Rust definition and no second one.

use steadfast_gpu::fault::RULES;
use steadfast_gpu::{ErrorCode, Reason};

fn main() {
    println!("// Written by the build from src/error.rs and src/fault/classify.rs.");

    println!("\nexport const catalog = [");
    for code in ErrorCode::ALL {
        let reasons = Reason::ALL.iter().filter(|reason| reason.codes().contains(&code));
        let entry = object(&[
            ("code", quoted(code.name())),
            ("stableId", code.stable_id().to_string()),
            ("retry", quoted(code.retry().name())),
            ("summary", quoted(code.summary())),
            ("fix", quoted(code.fix())),
            ("reasons", list(reasons.map(|reason| quoted(reason.name())))),
        ]);
        println!("  {entry},");
    }
    println!("] as const;");

    println!("\nexport const reasons = {{");
    for reason in Reason::ALL {
        let entry = object(&[
            ("codes", list(reason.codes().iter().map(|code| code.stable_id().to_string()))),
            ("sentence", quoted(reason.sentence())),
            ("fix", quoted(reason.fix())),
        ]);
        println!("  {}: {entry},", quoted(reason.name()));
    }
    println!("}} as const;");

    println!("\nexport type Reason = keyof typeof reasons;");
    println!("\n/** First match wins; `class` is a class or a name, no operations means all of them. */");
    println!("export const rules: readonly Rule[] = [");
    for rule in RULES {
        let entry = object(&[
            ("class", quoted(rule.class)),
            ("operations", list(rule.operations.iter().map(|operation| quoted(operation.name())))),
            ("stableId", rule.code.stable_id().to_string()),
            ("reason", quoted(rule.reason.name())),
        ]);
        println!("  {entry},");
    }
    println!("];");
    println!("\ninterface Rule {{");
    println!("  readonly class: string;");
    println!("  readonly operations: readonly string[];");
    println!("  readonly stableId: number;");
    println!("  readonly reason: Reason;");
    println!("}}");
}

fn object(fields: &[(&str, String)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    format!("{{ {} }}", fields.join(", "))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A JavaScript string literal.
fn quoted(text: &str) -> String {
    let mut literal = String::from('"');
    for c in text.chars() {
        match c {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            c if c.is_control() => literal.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}
