//! What only a browser can show: one wasm-pack target, so that one browser start serves every test.

#![cfg(target_arch = "wasm32")]
