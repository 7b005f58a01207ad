//! The table of error codes is frozen: `error_codes.tsv` is append-only, and the crate says the same as it.
//! That `ErrorCode::ALL` is complete and its ids are unique is proved in `src/error.rs` while compiling.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::panic, reason = "a helper of a test panics as the test does")]

use std::collections::HashSet;

use steadfast_gpu::{ErrorCode, Operation, Reason};

const FROZEN: &str = include_str!("error_codes.tsv");

#[test]
fn every_code_has_the_id_name_and_retry_class_of_the_committed_table() {
    let frozen: Vec<&str> = FROZEN.lines().filter(|line| !line.starts_with('#')).collect();
    let now: Vec<String> = ErrorCode::ALL
        .iter()
        .map(|code| format!("{}\t{}\t{}", code.stable_id(), code.name(), code.retry().name()))
        .collect();
    assert_eq!(now, frozen, "ids are never changed, reused or removed; a new one is appended to the table");
}

#[test]
fn a_stable_id_can_be_taken_in_a_constant() {
    const ID: u32 = ErrorCode::DeviceLost.stable_id();
    assert_eq!(ID, 1008);
}

#[test]
fn a_code_is_found_again_by_its_id_and_no_other_number_is_one() {
    for code in ErrorCode::ALL {
        assert_eq!(ErrorCode::from_stable_id(code.stable_id()), Some(code));
        assert_eq!(code.to_string(), code.name());
    }
    for id in [0, 1000, 1010, 1998, 2000, u32::MAX] {
        assert_eq!(ErrorCode::from_stable_id(id), None, "{id}");
    }
}

#[test]
fn every_name_is_its_variant() {
    for code in ErrorCode::ALL {
        assert_eq!(code.name(), format!("{code:?}"));
    }
}

#[test]
fn reason_names_are_kebab_case_and_unique() {
    let mut seen = HashSet::new();
    for reason in Reason::ALL {
        let name = reason.name();
        let is_kebab = name.split('-').all(|word| !word.is_empty() && word.bytes().all(|c| c.is_ascii_lowercase()));
        assert!(is_kebab, "{name}");
        assert!(seen.insert(name), "{name} is there twice");
    }
}

#[test]
fn every_reason_has_a_code_and_every_code_a_reason() {
    for reason in Reason::ALL {
        let codes = reason.codes();
        assert!(!codes.is_empty(), "{}", reason.name());
        for (i, code) in codes.iter().enumerate() {
            assert!(!codes[..i].contains(code), "{} lists {code} twice", reason.name());
        }
        for operation in Operation::ALL {
            assert!(codes.contains(&reason.code(operation)), "{} at {}", reason.name(), operation.name());
        }
    }
    for code in ErrorCode::ALL {
        assert!(Reason::ALL.iter().any(|reason| reason.codes().contains(&code)), "{code}");
    }
}

#[test]
fn every_sentence_ends_as_one_and_its_braces_hold_a_key() {
    for reason in Reason::ALL {
        for text in [reason.sentence(), reason.fix()] {
            for key in keys(text) {
                let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric());
                assert!(is_key, "{}: {{{key}}} in {text:?}", reason.name());
            }
            // A sentence may end with a text of the browser, which brings its own full stop.
            assert!(text.ends_with(['.', '}']), "{}: {text:?}", reason.name());
        }
    }
    for code in ErrorCode::ALL {
        for text in [code.summary(), code.fix()] {
            assert_eq!(keys(text), [""; 0], "{code}: a catalogue text has no values to fill in");
            assert!(text.ends_with('.'), "{code}: {text:?}");
        }
    }
}

#[test]
fn operation_names_are_unique_and_found_again() {
    for operation in Operation::ALL {
        assert_eq!(Operation::from_name(operation.name()), Some(operation));
    }
    assert_eq!(Operation::from_name("Load"), None);
}

#[test]
fn a_message_is_the_sentence_with_its_values_filled_in() {
    let error = Reason::LimitExceeded
        .at(Operation::Dispatch)
        .with("label", "blur")
        .with("requested", 70_000_u32)
        .with("limit", "maxComputeWorkgroupsPerDimension")
        .with("allowed", 65_535_u32);
    assert_eq!(error.to_string(), "`blur` asks for 70000, but maxComputeWorkgroupsPerDimension allows 65535.");
    assert_eq!(error.code(), ErrorCode::InvalidProgram);
}

#[test]
fn a_value_that_is_missing_shows_as_a_question_mark() {
    assert_eq!(Reason::Destroyed.at(Operation::Read).to_string(), "`?` was destroyed before this use.");
}

#[test]
fn a_limit_belongs_to_the_code_of_its_operation() {
    assert_eq!(Reason::LimitExceeded.code(Operation::Acquire), ErrorCode::UnsupportedFeature);
    assert_eq!(Reason::LimitExceeded.code(Operation::Compile), ErrorCode::KernelCompileFailed);
    assert_eq!(Reason::LimitExceeded.code(Operation::Dispatch), ErrorCode::InvalidProgram);
}

#[test]
fn a_code_that_the_reason_does_not_list_is_ignored() {
    let error = Reason::Closed.at(Operation::Dispatch);
    assert_eq!(error.clone().as_code(ErrorCode::ExecutionAborted).code(), ErrorCode::ExecutionAborted);
    assert_eq!(error.as_code(ErrorCode::DeviceLost).code(), ErrorCode::InvalidProgram);
}

#[test]
fn a_value_that_is_set_twice_keeps_the_last_and_or_keeps_the_first() {
    let error = Reason::Destroyed.at(Operation::Read).with("label", "a").with("label", "b").or("label", "c");
    assert_eq!(error.context().len(), 1);
    assert_eq!(error.to_string(), "`b` was destroyed before this use.");
}

/// The `{key}`s of a text; panics where a brace has no partner.
fn keys(text: &str) -> Vec<&str> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['{', '}']) {
        let after = &rest[start..];
        assert!(after.starts_with('{'), "a closing brace alone in {text:?}");
        let (key, more) = after[1..].split_once('}').unwrap_or_else(|| panic!("an open brace in {text:?}"));
        assert!(!key.contains('{'), "a brace in a brace in {text:?}");
        keys.push(key);
        rest = more;
    }
    keys
}
