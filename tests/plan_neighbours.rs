//! Plans of movement carried out on plain bytes: every element is where it should be, and no other has changed.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a helper of a test panics as the test does")]

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use steadfast_gpu::plan::{DType, Limits, Part, buffer, copy, fill, read, subarray, write};
use steadfast_gpu::{ComputeError, Operation, Reason};

/// A GPU buffer whose elements are `first`, `first + 1`, ... in their lowest byte, with padding behind them.
#[derive(Clone, Debug, PartialEq)]
struct Memory {
    dtype: DType,
    length: u64,
    bytes: Vec<u8>,
}

impl Memory {
    fn new(dtype: DType, length: u64, first: u8) -> Memory {
        let plan = buffer(dtype, length as f64, "b", &Limits::default()).unwrap();
        let mut memory = Memory { dtype, length, bytes: vec![0; plan.alloc_bytes as usize] };
        let marks: Vec<u8> = (0..length).map(|index| first.wrapping_add(index as u8)).collect();
        memory.set(0, &marks);
        memory
    }

    fn set(&mut self, start: u64, marks: &[u8]) {
        let width = self.dtype.bytes() as usize;
        for (element, mark) in self.bytes.chunks_mut(width).skip(start as usize).zip(marks) {
            element.fill(0);
            element[0] = *mark;
        }
    }

    /// The marks of the elements, without the padding.
    fn marks(&self) -> Vec<u8> {
        let width = self.dtype.bytes() as usize;
        self.bytes.chunks(width).take(self.length as usize).map(|element| element[0]).collect()
    }

    /// What WebGPU does with bytes: whole words only.
    fn put(&mut self, offset: u64, bytes: &[u8]) {
        assert!(offset.is_multiple_of(4) && bytes.len().is_multiple_of(4), "{offset}, {}", bytes.len());
        self.bytes[offset as usize..][..bytes.len()].copy_from_slice(bytes);
    }
}

fn dtype() -> impl Strategy<Value = DType> {
    prop_oneof![2 => Just(DType::F16), 1 => prop::sample::select(DType::ALL.to_vec())]
}

/// A buffer's type and length, and two places in it, the first not behind the second.
fn range() -> impl Strategy<Value = (DType, u64, u64, u64)> {
    (dtype(), 0_u64..200).prop_flat_map(|(dtype, length)| {
        (0..=length, 0..=length).prop_map(move |(a, b)| (dtype, length, a.min(b), a.max(b)))
    })
}

fn is_misaligned<T>(outcome: &Result<T, ComputeError>) -> bool {
    matches!(outcome, Err(error) if error.reason() == Reason::Misaligned)
}

/// The place that the error says would do.
fn nearest<T>(outcome: &Result<T, ComputeError>) -> Option<f64> {
    match outcome.as_ref().err()?.get("nearest")? {
        steadfast_gpu::error::ContextValue::Number(number) => Some(*number),
        _ => None,
    }
}

fn seeded() -> ProptestConfig {
    ProptestConfig { cases: 1000, rng_seed: RngSeed::Fixed(2), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(seeded())]

    #[test]
    fn a_read_copies_what_is_wanted_from_inside((dtype, length, start, end) in range()) {
        let memory = Memory::new(dtype, length, 7);
        let plan = read(dtype, length, Some(start as f64), Some(end as f64), "b", Operation::Read).unwrap();
        prop_assert!(plan.copy_offset.is_multiple_of(4) && plan.copy_bytes.is_multiple_of(4));
        let copied = &memory.bytes[plan.copy_offset as usize..][..plan.copy_bytes as usize];
        let wanted = &copied[plan.skip_bytes as usize..][..plan.span.byte_len as usize];
        let expected = &memory.bytes[(start * dtype.bytes()) as usize..(end * dtype.bytes()) as usize];
        prop_assert_eq!(wanted, expected);
        prop_assert!(plan.copy_bytes < plan.span.byte_len + 8, "no more than the words around it");
    }

    #[test]
    fn a_write_changes_its_elements_and_no_other((dtype, length, start, end) in range()) {
        let before = Memory::new(dtype, length, 7);
        let data = Memory::new(dtype, end - start, 100);
        let data_bytes = (end - start) * dtype.bytes();
        let outcome = write(dtype, length, data_bytes, start as f64, "b");
        let Ok(plan) = outcome else {
            prop_assert!(dtype == DType::F16 && (start % 2 == 1 || (end % 2 == 1 && end < length)) && start < end);
            prop_assert!(is_misaligned(&outcome));
            return Ok(());
        };
        let mut sent = data.bytes[..data_bytes as usize].to_vec();
        sent.resize(sent.len() + plan.pad_tail as usize, 0);
        let mut after = before.clone();
        after.put(plan.byte_offset, &sent);
        let mut expected = before.marks();
        expected.splice(start as usize..end as usize, data.marks());
        prop_assert_eq!(after.marks(), expected);
    }

    #[test]
    fn a_copy_changes_its_elements_and_no_other(
        (dtype, length, start, end) in range(), more in 0_u64..50, at_share in 0.0..1.0_f64,
    ) {
        let count = end - start;
        let at = (more as f64 * at_share).floor() as u64;
        let (src, before) = (Memory::new(dtype, length, 7), Memory::new(dtype, count + more, 100));
        let part = |memory: &Memory| Part { dtype, length: memory.length, byte_offset: 0, label: "b" };
        let ends = (Some(start as f64), Some(end as f64), Some(at as f64));
        let outcome = copy(&part(&src), &part(&before), ends.0, ends.1, ends.2, false);
        let Ok(plan) = outcome else {
            let is_inside = |place: u64, length: u64| place % 2 == 1 && place < length;
            let crosses = start % 2 == 1 || at % 2 == 1 || is_inside(end, length) || is_inside(at + count, count + more);
            prop_assert!(dtype == DType::F16 && crosses && count > 0);
            prop_assert!(is_misaligned(&outcome));
            return Ok(());
        };
        let mut after = before.clone();
        after.put(plan.dst_offset, &src.bytes[plan.src_offset as usize..][..plan.byte_len as usize]);
        let mut expected = before.marks();
        expected.splice(at as usize..(at + count) as usize, src.marks()[start as usize..end as usize].iter().copied());
        prop_assert_eq!(after.marks(), expected);
    }

    #[test]
    fn a_fill_changes_its_elements_and_no_other((dtype, length, start, end) in range()) {
        let before = Memory::new(dtype, length, 7);
        let outcome = fill(dtype, length, 1.0, Some(start as f64), Some(end as f64), "b");
        let Ok(plan) = outcome else {
            prop_assert!(dtype == DType::F16 && (start % 2 == 1 || (end % 2 == 1 && end < length)) && start < end);
            prop_assert!(is_misaligned(&outcome));
            return Ok(());
        };
        let mut after = before.clone();
        let bytes: Vec<u8> = plan.pattern.iter().copied().cycle().take(plan.padded_bytes as usize).collect();
        after.put(plan.span.byte_offset, &bytes);
        let width = dtype.bytes() as usize;
        for index in 0..length as usize {
            let element = |memory: &Memory| memory.bytes[index * width..][..width].to_vec();
            let is_filled = (start as usize..end as usize).contains(&index);
            let expected = if is_filled { plan.pattern[..width].to_vec() } else { element(&before) };
            prop_assert_eq!(element(&after), expected, "{}", index);
        }
    }

    #[test]
    fn a_view_is_aligned_or_the_nearest_place_is(
        (dtype, length, start, end) in range(), parent in 0_u64..4, alignment in prop::sample::select(vec![32, 64, 256]),
    ) {
        let limits = Limits { storage_offset_alignment: alignment, ..Limits::default() };
        let view = |start: f64, end: f64| subarray(dtype, length, parent * 256, start, Some(end), "b", &limits);
        match view(start as f64, end as f64) {
            Ok(span) => {
                prop_assert!(span.byte_offset.is_multiple_of(alignment));
                prop_assert_eq!(span.byte_offset, parent * 256 + start * dtype.bytes());
                prop_assert!((span.byte_offset + span.byte_len).is_multiple_of(4) || end == length);
            }
            outcome => {
                prop_assert!(is_misaligned(&outcome));
                let place = nearest(&outcome).unwrap();
                let retried = view(place, end as f64);
                let retried = if nearest(&retried).is_some() { view(place, nearest(&retried).unwrap()) } else { retried };
                let at_end = view(start as f64, place.max(start as f64));
                prop_assert!(retried.is_ok() || at_end.is_ok(), "{:?}", retried);
            }
        }
    }
}
