//! Everything that can be decided before the GPU is touched.
