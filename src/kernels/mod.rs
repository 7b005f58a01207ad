//! WGSL made by the package.

mod map;

pub use map::{FIRST_LINE, WORKGROUP_SIZE, map};
