//! How many workgroups run.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a helper of a test panics as the test does")]

mod plan_refusal;

use plan_refusal::assert_refused;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::HashSet;
use steadfast_gpu::ComputeError;
use steadfast_gpu::plan::{Grid, GridPlan, KernelOptions, KernelPlan, Limits, grid, kernel};

/// A kernel with this workgroup size, which takes `num_workgroups` or does not.
fn sized(size: &str, uses_num_workgroups: bool) -> KernelPlan {
    let parameter = if uses_num_workgroups { "@builtin(num_workgroups) n: vec3u" } else { "" };
    let wgsl = format!("@compute @workgroup_size({size}) fn main({parameter}) {{}}");
    kernel(&wgsl, &KernelOptions::default(), &Limits::default()).unwrap()
}

fn workgroups(kernel: &KernelPlan, wanted: &Grid, outputs: Option<u64>) -> Result<[u32; 3], ComputeError> {
    grid(kernel, wanted, outputs, &Limits::default()).map(|GridPlan { workgroups }| workgroups)
}

const MAX: u64 = 65_535;

#[test]
fn elements_become_enough_workgroups() {
    let plain = sized("64", false);
    let folding = sized("64", true);
    let rows = [
        (0, [0, 1, 1]),
        (1, [1, 1, 1]),
        (63, [1, 1, 1]),
        (64, [1, 1, 1]),
        (65, [2, 1, 1]),
        (64 * MAX - 1, [65_535, 1, 1]),
        (64 * MAX, [65_535, 1, 1]),
    ];
    for (elements, expected) in rows {
        let explicit = Grid::Elements(elements as f64);
        assert_eq!(workgroups(&plain, &explicit, None).unwrap(), expected, "{elements}");
        assert_eq!(workgroups(&folding, &explicit, Some(7)).unwrap(), expected, "{elements}");
        assert_eq!(workgroups(&plain, &Grid::FromOutput, Some(elements)).unwrap(), expected, "{elements}");
    }
    let past = [
        (64 * MAX + 1, [32_768, 2, 1]),
        (64 * MAX * 2, [65_535, 2, 1]),
        (64 * MAX * 2 + 1, [43_691, 3, 1]),
        (1 << 30, [65_281, 257, 1]),
    ];
    for (elements, expected) in past {
        assert_eq!(workgroups(&folding, &Grid::FromOutput, Some(elements)).unwrap(), expected, "{elements}");
    }
}

#[test]
fn workgroups_are_taken_as_they_are() {
    let kernel = sized("4, 4, 4", false);
    for counts in [[0, 1, 1], [1, 0, 9], [3, 2, 1], [65_535, 65_535, 65_535]] {
        let wanted = Grid::Workgroups(counts.map(f64::from));
        assert_eq!(workgroups(&kernel, &wanted, None).unwrap(), counts);
    }
    assert_eq!(workgroups(&kernel, &Grid::Indirect, None).unwrap(), [1, 1, 1]);
}

#[test]
fn a_grid_past_the_limit_is_refused_unless_the_kernel_can_know() {
    assert_refused(
        workgroups(&sized("64", false), &Grid::Elements((64 * MAX + 1) as f64), None),
        "1006 InvalidProgram grid-needs-folding at dispatch",
        &[("requested", 65_536.0), ("allowed", 65_535.0)],
        "`main` needs 65536 workgroups in x, but maxComputeWorkgroupsPerDimension allows 65535, \
         and the kernel does not use num_workgroups.",
    );
    let limit = "1006 InvalidProgram limit-exceeded at dispatch";
    assert_refused(
        workgroups(&sized("64", true), &Grid::Workgroups([1.0, 65_536.0, 1.0]), None),
        limit,
        &[("requested", 65_536.0), ("allowed", 65_535.0)],
        "`main` asks for 65536, but maxComputeWorkgroupsPerDimension allows 65535.",
    );
    assert_refused(
        workgroups(&sized("64", true), &Grid::Elements(4_294_967_297.0), None),
        limit,
        &[("requested", 4_295_028_800.0), ("allowed", 4_294_967_296.0)],
        "`main` asks for 4295028800, but an index of type u32 allows 4294967296.",
    );
    assert_refused(
        workgroups(&sized("1", true), &Grid::Elements(9_007_199_254_740_991.0), None),
        limit,
        &[("requested", 9_007_199_254_740_991.0), ("allowed", 65_535.0)],
        "`main` asks for 9007199254740991, but maxComputeWorkgroupsPerDimension allows 65535.",
    );
}

#[test]
fn an_amount_that_means_nothing_is_refused() {
    let identity = "1006 InvalidProgram argument-invalid at dispatch";
    let kernel = sized("64", true);
    for (amount, text) in
        [(-1.0, "-1"), (0.5, "0.5"), (f64::INFINITY, "inf"), (9_007_199_254_740_992.0, "9007199254740992")]
    {
        let message = |argument: &str| format!("{argument} must be a whole number of at least 0, but is {text}.");
        let outcome = workgroups(&kernel, &Grid::Elements(amount), None);
        assert_refused(outcome, identity, &[("got", amount)], &message("elements"));
        let outcome = workgroups(&kernel, &Grid::Workgroups([1.0, 1.0, amount]), None);
        assert_refused(outcome, identity, &[("got", amount)], &message("workgroups"));
    }
    assert!(workgroups(&kernel, &Grid::Elements(f64::NAN), None).is_err());
    assert_refused(
        workgroups(&kernel, &Grid::FromOutput, None),
        identity,
        &[],
        "the grid must be given as elements or workgroups, but is left to an output that the call does not have.",
    );
    for size in ["8, 8", "1, 1, 2"] {
        assert_refused(
            workgroups(&sized(size, true), &Grid::Elements(5.0), None),
            identity,
            &[],
            "the grid must be given as workgroups, because the workgroup size has more than one dimension, \
             but is counted in elements.",
        );
    }
}

fn seeded() -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(seeded())]

    #[test]
    fn a_folded_grid_reaches_every_element_once(most in 1_u32..8, size in 1_u32..6, share in 0.0..1.0_f64) {
        let limits = Limits { max_workgroups: most, ..Limits::default() };
        let elements = (f64::from(most.pow(3) * size) * share).floor();
        let kernel = sized(&size.to_string(), true);
        let Ok(GridPlan { workgroups: [x, y, z] }) = grid(&kernel, &Grid::Elements(elements), None, &limits) else {
            return Err(TestCaseError::fail(format!("{elements} elements fit into {most} cubed of {size}")));
        };
        prop_assert!(x <= most && y <= most && z <= most, "{x} {y} {z}");
        let mut seen = HashSet::new();
        for (gid_z, gid_y) in (0..z).flat_map(|gid_z| (0..y).map(move |gid_y| (gid_z, gid_y))) {
            for gid_x in 0..x * size {
                let index = gid_x + gid_y * x * size + gid_z * x * y * size;
                prop_assert!(seen.insert(index), "{index} twice");
            }
        }
        prop_assert!((0..elements as u32).all(|index| seen.contains(&index)));
        prop_assert_eq!(seen.iter().max().map_or(0, |last| last + 1) as usize, seen.len(), "no gaps");
    }

    #[test]
    fn real_grids_waste_less_than_a_row(elements in 0_u64..1 << 32, size in 1_u32..=256) {
        let kernel = sized(&size.to_string(), true);
        match grid(&kernel, &Grid::FromOutput, Some(elements), &Limits::default()) {
            Ok(GridPlan { workgroups: [x, y, z] }) => {
                let invocations = [x, y, z, size].iter().map(|count| u64::from(*count)).product::<u64>();
                prop_assert!(invocations >= elements && invocations <= 1 << 32);
                let waste = invocations - elements;
                prop_assert!(waste < u64::from(size) * u64::from(y.max(1)) * u64::from(z) + u64::from(x) * u64::from(size));
            }
            Err(_) => prop_assert!(elements + u64::from(size) * 2 * MAX > 1 << 32),
        }
    }
}
