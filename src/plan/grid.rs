use super::refuse::{invalid, past_limit, within_limit};
use super::{KernelPlan, Limits, count};
use crate::error::{ComputeError, Operation, Reason};

/// How the user said how much runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grid {
    /// One invocation for each element of the first output.
    FromOutput,
    /// One invocation for each of so many elements.
    Elements(f64),
    /// So many workgroups in x, y and z.
    Workgroups([f64; 3]),
    /// As many workgroups as a buffer says when it runs.
    Indirect,
}

/// How many workgroups run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct GridPlan {
    /// Workgroups in x, y and z. Zero in one of them: nothing runs. For [`Grid::Indirect`] one each, which says only that
    /// something may run.
    pub workgroups: [u32; 3],
}

const PER_DIMENSION: &str = "maxComputeWorkgroupsPerDimension";

/// Invocations that a u32 index can tell apart.
const MAX_INVOCATIONS: u64 = 1 << 32;

/// Plans the grid. Past the limit in x, workgroups fold into y and then z, if the kernel can know that; its index is
/// then `gid.x + gid.y * n.x * X + gid.z * n.x * n.y * X`, with `n` from `num_workgroups` and X its workgroup size in x.
///
/// # Errors
/// - `InvalidProgram` for an amount that is not a whole number, elements for a workgroup of more than one dimension or
///   without an output, a grid past the limits, and one that would need folding in a kernel that cannot know.
pub fn grid(
    kernel: &KernelPlan,
    grid: &Grid,
    first_output_elements: Option<u64>,
    limits: &Limits,
) -> Result<GridPlan, ComputeError> {
    let label = kernel.label.as_str();
    let refused = |expected, got: &str| Err(invalid(Operation::Dispatch, label, "the grid", expected, got.into()));
    let elements = match (grid, first_output_elements) {
        (Grid::Indirect, _) => return Ok(GridPlan { workgroups: [1, 1, 1] }),
        (Grid::Workgroups(workgroups), _) => return explicit(label, *workgroups, limits),
        (Grid::Elements(elements), _) => count(*elements, "elements", label, Operation::Dispatch)?,
        (Grid::FromOutput, Some(elements)) => elements,
        (Grid::FromOutput, None) => {
            return refused("given as elements or workgroups", "left to an output that the call does not have");
        }
    };
    let [size, y, z] = kernel.workgroup_size;
    if y != 1 || z != 1 {
        return refused(
            "given as workgroups, because the workgroup size has more than one dimension",
            "counted in elements",
        );
    }
    let needed = elements.div_ceil(u64::from(size.max(1)));
    let most = u64::from(limits.max_workgroups.max(1));
    if needed > most && !kernel.uses_num_workgroups {
        return Err(past_limit(Reason::GridNeedsFolding, Operation::Dispatch, label, PER_DIMENSION, needed, most));
    }
    let folded = fold(needed, most);
    let [x, y, z] = folded;
    if x.max(y).max(z) > most {
        return Err(past_limit(Reason::LimitExceeded, Operation::Dispatch, label, PER_DIMENSION, needed, most));
    }
    let invocations = (x * y * z).saturating_mul(size.into());
    within_limit(Operation::Dispatch, label, "an index of type u32", invocations, MAX_INVOCATIONS)?;
    Ok(GridPlan { workgroups: folded.map(|dimension| dimension as u32) })
}

/// Spreads workgroups over x, y and z with as few dimensions and as little waste as a balanced block has.
fn fold(needed: u64, most: u64) -> [u64; 3] {
    if needed <= most {
        return [needed, 1, 1];
    }
    let rows = needed.div_ceil(most);
    let z = rows.div_ceil(most);
    let y = rows.div_ceil(z);
    [needed.div_ceil(y.saturating_mul(z)), y, z]
}

fn explicit(label: &str, workgroups: [f64; 3], limits: &Limits) -> Result<GridPlan, ComputeError> {
    let mut planned = [0; 3];
    for (to, from) in planned.iter_mut().zip(workgroups) {
        let wanted = count(from, "workgroups", label, Operation::Dispatch)?;
        within_limit(Operation::Dispatch, label, PER_DIMENSION, wanted, limits.max_workgroups.into())?;
        *to = wanted as u32;
    }
    Ok(GridPlan { workgroups: planned })
}
