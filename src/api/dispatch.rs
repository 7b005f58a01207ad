use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::convert::{dtype, dtype_of, value};
use super::core::{Core, Thrown, thrown};
use super::host::ran;
use crate::gpu::{Argument, CallOptions, Failure, Kernel, Request, Target, get, next_id};
use crate::plan::{self, Grid, Place, Shape, Slot};

/// Resolve only when the GPU has finished.
pub const FLAG_WAITS_FOR_GPU: u32 = 2;

/// Read the outputs: `run` and not `dispatch`.
const FLAG_READS_OUTPUTS: u32 = 4;

fn options(flags: u32, label: Option<String>) -> CallOptions {
    CallOptions { label, waits_for_gpu: flags & FLAG_WAITS_FOR_GPU != 0 }
}

impl Core {
    fn argument(&self, kernel: &Kernel, slot: Option<&Slot>, id: u32, given: &JsValue) -> Result<Argument, Failure> {
        if id != 0 {
            return Ok(Argument::Buffer(self.handle(id)?));
        }
        let binding = match (slot, &kernel.plan) {
            (Some(Slot::Bound(index)), Some(plan)) => plan.bindings.get(*index),
            (Some(Slot::Unreached(index)), Some(plan)) => plan.unreached.get(*index),
            _ => None,
        };
        let is_uniform = binding.is_some_and(|binding| binding.space == plan::Space::Uniform);
        if js_sys::ArrayBuffer::is_view(given) && !is_uniform {
            return Ok(Argument::Array(given.clone().unchecked_into(), dtype_of(given, binding)));
        }
        match get(given, "kind").as_string().as_deref() {
            Some("out") => {
                let length = get(given, "length").as_f64().unwrap_or(f64::NAN);
                Ok(Argument::Out(dtype(&get(given, "dtype").as_string().unwrap_or_default())?, length))
            }
            Some("inout") => {
                let data = get(given, "data");
                let dtype = dtype_of(&data, binding);
                Ok(Argument::InOut(data.unchecked_into(), dtype))
            }
            _ => Ok(Argument::Uniform(value(given, binding.map_or("the argument", |binding| &binding.name))?)),
        }
    }

    fn arguments(
        &self,
        kernel: &Kernel,
        shape: &Shape,
        ids: &[u32],
        values: &JsValue,
    ) -> Result<Vec<Argument>, Failure> {
        let values = if values.is_undefined() { Array::new() } else { Array::from(values) };
        let mut arguments = Vec::with_capacity(ids.len());
        for (index, id) in (0_u32..).zip(ids) {
            let slot = shape.slots.get(index as usize);
            arguments.push(self.argument(kernel, slot, *id, &values.get(index))?);
        }
        Ok(arguments)
    }

    pub(super) fn target(&self, grid: u32, x: f64, y: f64, z: f64) -> Result<Target, Failure> {
        Ok(match grid {
            0 => Target::Grid(Grid::FromOutput),
            1 => Target::Grid(Grid::Elements(x)),
            2 => Target::Grid(Grid::Workgroups([x, y, z])),
            _ => Target::Indirect(self.handle(x as u32)?, y),
        })
    }

    /// A request, from JavaScript's numbers.
    pub(super) fn request(
        &self,
        kernel: u32,
        shape: u32,
        ids: &[u32],
        values: &JsValue,
        target: Result<Target, Failure>,
    ) -> Result<Request, Failure> {
        let kernel = self.kernels.get(kernel, "the kernel")?;
        let shape = self.shapes.get(shape, "the shape")?.1.clone();
        let arguments = self.arguments(&kernel, &shape, ids, values)?;
        Ok(Request { kernel, shape, arguments, target: target? })
    }
}

#[wasm_bindgen]
impl Core {
    /// Runs a kernel; what becomes of its outputs is in the flags.
    ///
    /// # Errors
    /// A `ComputeError`: the arguments or the grid do not fit.
    #[allow(clippy::too_many_arguments, reason = "the boundary passes plain numbers")]
    pub fn dispatch(
        &self,
        call: u32,
        kernel: u32,
        shape: u32,
        ids: &[u32],
        values: &JsValue,
        grid: u32,
        x: f64,
        y: f64,
        z: f64,
        flags: u32,
        label: Option<String>,
    ) -> Thrown<()> {
        let place = if flags & FLAG_READS_OUTPUTS != 0 { Place::Run } else { Place::Resident };
        let request = thrown(self.request(kernel, shape, ids, values, self.target(grid, x, y, z)))?;
        thrown(self.gpu.dispatch(call, &request, place, options(flags, label), ran(call)))
    }

    /// Checks and binds arguments once.
    ///
    /// # Errors
    /// A `ComputeError`: an argument does not fit.
    pub fn bind(&self, kernel: u32, shape: u32, ids: &[u32], values: &JsValue) -> Thrown<u32> {
        let request = thrown(self.request(kernel, shape, ids, values, self.target(0, 0.0, 0.0, 0.0)))?;
        Ok(self.bounds.add(next_id(), Rc::new(thrown(self.gpu.bind(&request))?)))
    }

    /// Runs a bound kernel.
    ///
    /// # Errors
    /// A `ComputeError`: the grid does not fit.
    #[allow(clippy::too_many_arguments, reason = "the boundary passes plain numbers")]
    pub fn dispatch_bound(
        &self,
        call: u32,
        bound: u32,
        grid: u32,
        x: f64,
        y: f64,
        z: f64,
        flags: u32,
        label: Option<String>,
    ) -> Thrown<()> {
        let bound = thrown(self.bounds.get(bound, "the bound kernel"))?;
        let target = thrown(self.target(grid, x, y, z))?;
        thrown(self.gpu.dispatch_bound(call, &bound, &target, options(flags, label), ran(call)))
    }

    /// Lets a bound kernel go.
    pub fn destroy_bound(&self, bound: u32) {
        self.bounds.remove(bound);
    }
}
