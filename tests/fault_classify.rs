//! What a browser's report becomes. The same vectors go through `classify` of the npm entry `steadfast-gpu/errors`
//! (tests/package/classify.test.mjs), so that both sides judge alike.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper of a test panics as the test does"
)]

use serde_json::Value;
use steadfast_gpu::fault::{Fault, RULES, Rule, classify};
use steadfast_gpu::{ErrorCode, Operation, Reason};

/// A report, and what it must become on a device that is not lost.
struct Vector {
    case: String,
    fault: Fault,
    stable_id: u64,
    reason: String,
}

fn vectors() -> Vec<Vector> {
    let rows: Vec<Value> = serde_json::from_str(include_str!("fault_vectors.json")).unwrap();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_else(|| panic!("{key} of {row}")).to_owned();
    rows.iter()
        .map(|row| Vector {
            case: text(row, "case"),
            fault: Fault {
                class: text(row, "class"),
                name: text(row, "name"),
                message: text(row, "message"),
                operation: Operation::from_name(&text(row, "operation")).unwrap(),
            },
            stable_id: row["stableId"].as_u64().unwrap(),
            reason: text(row, "reason"),
        })
        .collect()
}

#[test]
fn every_report_gets_the_code_and_reason_of_its_vector() {
    for Vector { case, fault, stable_id, reason } in vectors() {
        let error = classify(&fault, false);
        assert_eq!(
            (u64::from(error.code().stable_id()), error.reason().name()),
            (stable_id, reason.as_str()),
            "{case}"
        );
        assert_eq!(error.operation(), fault.operation, "{case}");
        assert!(error.reason().codes().contains(&error.code()), "{case}");
    }
}

#[test]
fn every_rule_decides_at_least_one_vector() {
    let matches = |rule: &Rule, fault: &Fault| {
        [fault.class.as_str(), fault.name.as_str()].contains(&rule.class)
            && (rule.operations.is_empty() || rule.operations.contains(&fault.operation))
    };
    let mut decided = vec![false; RULES.len()];
    for Vector { fault, .. } in vectors() {
        if let Some(first) = RULES.iter().position(|rule| matches(rule, &fault)) {
            decided[first] = true;
        }
    }
    for (rule, decided) in RULES.iter().zip(decided) {
        assert!(decided, "no vector reaches {rule:?}: add one, or a rule above hides it");
    }
}

#[test]
fn a_loss_outranks_every_report() {
    for Vector { case, fault, .. } in vectors() {
        let error = classify(&fault, true);
        assert_eq!((error.code(), error.reason()), (ErrorCode::DeviceLost, Reason::DeviceLost), "{case}");
    }
}

#[test]
fn the_text_of_a_report_never_decides() {
    let misleading =
        ["", "device lost", "GPUOutOfMemoryError: out of memory", "AbortError", "line 3: error: unresolved"];
    for Vector { case, fault, .. } in vectors() {
        let error = classify(&fault, false);
        for message in misleading {
            let same = classify(&Fault { message: message.to_owned(), ..fault.clone() }, false);
            assert_eq!((same.code(), same.reason()), (error.code(), error.reason()), "{case}: {message:?}");
        }
    }
}

#[test]
fn the_browsers_text_is_in_the_message_of_a_refusal() {
    let fault = Fault {
        class: "GPUValidationError".to_owned(),
        name: String::new(),
        message: "Buffer usages must not be 0.".to_owned(),
        operation: Operation::Dispatch,
    };
    let error = classify(&fault, false).with("label", "blur");
    assert_eq!(error.to_string(), "The browser refused `blur`: Buffer usages must not be 0.");
}

#[test]
fn the_detail_of_a_panic_is_in_its_message() {
    let fault = Fault {
        class: "RuntimeError".to_owned(),
        name: "RuntimeError".to_owned(),
        message: "unreachable".to_owned(),
        operation: Operation::Dispatch,
    };
    assert_eq!(classify(&fault, false).to_string(), "The wasm instance stopped: unreachable.");
}
