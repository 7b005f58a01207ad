//! What is asked of an adapter, and what a device's own numbers become.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test panics as the test does")]

mod plan_refusal;

use plan_refusal::assert_refused;
use steadfast_gpu::plan::{Limits, requested_features, requested_limits};

fn named(values: &[(&str, f64)]) -> Vec<(String, f64)> {
    values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

const ADAPTER: &[(&str, f64)] = &[("maxBufferSize", 4_294_967_296.0), ("minStorageBufferOffsetAlignment", 32.0)];

#[test]
fn limits_the_adapter_has_are_requested_as_they_are() {
    let wanted = named(&[("maxBufferSize", 4_294_967_296.0), ("minStorageBufferOffsetAlignment", 64.0)]);
    assert_eq!(requested_limits(&wanted, &named(ADAPTER)).unwrap(), wanted);
    assert_eq!(requested_limits(&[], &named(ADAPTER)).unwrap(), []);
}

#[test]
fn limits_beyond_the_adapter_are_refused() {
    let refused = |name: &str, value: f64, numbers: &[(&str, f64)], message: &str| {
        let outcome = requested_limits(&named(&[(name, value)]), &named(ADAPTER));
        assert_refused(outcome, "1002 UnsupportedFeature limit-exceeded at acquire", numbers, message);
    };
    refused(
        "maxBufferSize",
        4_294_967_297.0,
        &[("requested", 4_294_967_297.0), ("allowed", 4_294_967_296.0)],
        "`acquire` asks for 4294967297, but maxBufferSize allows 4294967296.",
    );
    refused(
        "minStorageBufferOffsetAlignment",
        16.0,
        &[("requested", 16.0), ("allowed", 32.0)],
        "`acquire` asks for 16, but minStorageBufferOffsetAlignment allows 32.",
    );
    refused(
        "maxMagic",
        1.0,
        &[("requested", 1.0)],
        "`acquire` asks for 1, but maxMagic allows nothing, because this adapter does not know it.",
    );
    assert_refused(
        requested_limits(&named(&[("maxBufferSize", 1.5)]), &named(ADAPTER)),
        "1006 InvalidProgram argument-invalid at acquire",
        &[("got", 1.5)],
        "maxBufferSize must be a whole number of at least 0, but is 1.5.",
    );
}

#[test]
fn features_are_requested_once_and_only_where_they_are() {
    let adapter = names(&["shader-f16", "timestamp-query", "subgroups"]);
    let requested = requested_features(
        &names(&["shader-f16"]),
        &names(&["subgroups", "magic", "shader-f16", "subgroups"]),
        &adapter,
    );
    assert_eq!(requested.unwrap(), ["shader-f16", "subgroups"]);
    assert_refused(
        requested_features(&names(&["shader-f16", "magic"]), &[], &adapter),
        "1002 UnsupportedFeature feature-missing at acquire",
        &[],
        "The feature `magic` is not available on this device.",
    );
}

#[test]
fn a_device_s_numbers_replace_the_defaults() {
    assert_eq!(Limits::from_named(&[]), Limits::default());
    let limits = Limits::from_named(&named(&[
        ("maxBufferSize", 4_294_967_296.0),
        ("maxStorageBufferBindingSize", 2_147_483_644.0),
        ("maxUniformBufferBindingSize", 131_072.0),
        ("maxStorageBuffersPerShaderStage", 10.0),
        ("maxUniformBuffersPerShaderStage", 13.0),
        ("maxDynamicUniformBuffersPerPipelineLayout", 11.0),
        ("maxBindGroups", 5.0),
        ("maxBindingsPerBindGroup", 2000.0),
        ("maxComputeWorkgroupsPerDimension", 70_000.0),
        ("maxComputeInvocationsPerWorkgroup", 1024.0),
        ("maxComputeWorkgroupSizeX", 1025.0),
        ("maxComputeWorkgroupSizeY", 1026.0),
        ("maxComputeWorkgroupSizeZ", 65.0),
        ("maxComputeWorkgroupStorageSize", 32_768.0),
        ("minStorageBufferOffsetAlignment", 32.0),
        ("minUniformBufferOffsetAlignment", 0.0),
        ("maxTextureDimension2D", 1.0),
    ]));
    let expected = Limits {
        max_buffer_bytes: 4_294_967_296,
        max_storage_binding_bytes: 2_147_483_644,
        max_uniform_binding_bytes: 131_072,
        max_storage_buffers: 10,
        max_uniform_buffers: 13,
        max_dynamic_uniform_buffers: 11,
        max_bind_groups: 5,
        max_bindings_per_group: 2000,
        max_workgroups: 70_000,
        max_invocations: 1024,
        max_workgroup_size: [1025, 1026, 65],
        max_workgroup_memory_bytes: 32_768,
        storage_offset_alignment: 32,
        uniform_offset_alignment: 1,
    };
    assert_eq!(limits, expected);
}
