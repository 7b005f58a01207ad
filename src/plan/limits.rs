use crate::error::{ComputeError, Operation, Reason};

/// The limits of a device, as far as plans need them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Limits {
    /// `maxBufferSize`.
    pub max_buffer_bytes: u64,
    /// `maxStorageBufferBindingSize`.
    pub max_storage_binding_bytes: u64,
    /// `maxUniformBufferBindingSize`.
    pub max_uniform_binding_bytes: u64,
    /// `maxStorageBuffersPerShaderStage`.
    pub max_storage_buffers: u32,
    /// `maxUniformBuffersPerShaderStage`.
    pub max_uniform_buffers: u32,
    /// `maxDynamicUniformBuffersPerPipelineLayout`.
    pub max_dynamic_uniform_buffers: u32,
    /// `maxBindGroups`.
    pub max_bind_groups: u32,
    /// `maxBindingsPerBindGroup`.
    pub max_bindings_per_group: u32,
    /// `maxComputeWorkgroupsPerDimension`.
    pub max_workgroups: u32,
    /// `maxComputeInvocationsPerWorkgroup`.
    pub max_invocations: u32,
    /// `maxComputeWorkgroupSizeX`, `Y` and `Z`.
    pub max_workgroup_size: [u32; 3],
    /// `maxComputeWorkgroupStorageSize`.
    pub max_workgroup_memory_bytes: u64,
    /// `minStorageBufferOffsetAlignment`.
    pub storage_offset_alignment: u64,
    /// `minUniformBufferOffsetAlignment`.
    pub uniform_offset_alignment: u64,
}

impl Default for Limits {
    /// What every WebGPU device has.
    ///
    /// # Source
    /// WebGPU, section 3.6.2 "Limits".
    fn default() -> Limits {
        Limits {
            max_buffer_bytes: 268_435_456,
            max_storage_binding_bytes: 134_217_728,
            max_uniform_binding_bytes: 65_536,
            max_storage_buffers: 8,
            max_uniform_buffers: 12,
            max_dynamic_uniform_buffers: 8,
            max_bind_groups: 4,
            max_bindings_per_group: 1000,
            max_workgroups: 65_535,
            max_invocations: 256,
            max_workgroup_size: [256, 256, 64],
            max_workgroup_memory_bytes: 16_384,
            storage_offset_alignment: 256,
            uniform_offset_alignment: 256,
        }
    }
}

impl Limits {
    /// The limits of a device that reports these values by WebGPU's names; what it does not report keeps its default.
    pub fn from_named(values: &[(String, f64)]) -> Limits {
        let mut limits = Limits::default();
        for (name, value) in values {
            let wide = *value as u64;
            let narrow = *value as u32;
            let [x, y, z] = &mut limits.max_workgroup_size;
            match name.as_str() {
                "maxBufferSize" => limits.max_buffer_bytes = wide,
                "maxStorageBufferBindingSize" => limits.max_storage_binding_bytes = wide,
                "maxUniformBufferBindingSize" => limits.max_uniform_binding_bytes = wide,
                "maxStorageBuffersPerShaderStage" => limits.max_storage_buffers = narrow,
                "maxUniformBuffersPerShaderStage" => limits.max_uniform_buffers = narrow,
                "maxDynamicUniformBuffersPerPipelineLayout" => limits.max_dynamic_uniform_buffers = narrow,
                "maxBindGroups" => limits.max_bind_groups = narrow,
                "maxBindingsPerBindGroup" => limits.max_bindings_per_group = narrow,
                "maxComputeWorkgroupsPerDimension" => limits.max_workgroups = narrow,
                "maxComputeInvocationsPerWorkgroup" => limits.max_invocations = narrow,
                "maxComputeWorkgroupSizeX" => *x = narrow,
                "maxComputeWorkgroupSizeY" => *y = narrow,
                "maxComputeWorkgroupSizeZ" => *z = narrow,
                "maxComputeWorkgroupStorageSize" => limits.max_workgroup_memory_bytes = wide,
                "minStorageBufferOffsetAlignment" => limits.storage_offset_alignment = wide.max(1),
                "minUniformBufferOffsetAlignment" => limits.uniform_offset_alignment = wide.max(1),
                _ => {}
            }
        }
        limits
    }
}

/// What to request of an adapter when the user named these limits; none named means WebGPU's defaults.
///
/// Names are WebGPU's. Limits that start with `min` are alignments, where less is more.
///
/// # Errors
/// - `InvalidProgram` for a value that is not a whole number.
/// - `UnsupportedFeature` for a name the adapter does not know, or a value better than the adapter's.
pub fn requested_limits(
    wanted: &[(String, f64)],
    adapter: &[(String, f64)],
) -> Result<Vec<(String, f64)>, ComputeError> {
    for (name, value) in wanted {
        super::count(*value, name, "acquire", Operation::Acquire)?;
        let refused = Reason::LimitExceeded
            .at(Operation::Acquire)
            .with("label", "acquire")
            .with("limit", name.as_str())
            .with("requested", *value);
        match adapter.iter().find(|(known, _)| known == name) {
            None => return Err(refused.with("allowed", "nothing, because this adapter does not know it")),
            Some((_, allowed)) => {
                let beyond = if name.starts_with("min") { value < allowed } else { value > allowed };
                if beyond {
                    return Err(refused.with("allowed", *allowed));
                }
            }
        }
    }
    Ok(wanted.to_vec())
}

/// What to request of an adapter with these features: all that are required, and the optional ones it has, each once.
///
/// # Errors
/// - `UnsupportedFeature` for a required feature that the adapter lacks.
pub fn requested_features(
    required: &[String],
    optional: &[String],
    adapter: &[String],
) -> Result<Vec<String>, ComputeError> {
    if let Some(missing) = required.iter().find(|feature| !adapter.contains(feature)) {
        return Err(Reason::FeatureMissing.at(Operation::Acquire).with("feature", missing.as_str()));
    }
    let mut requested: Vec<String> = Vec::new();
    for feature in required.iter().chain(optional) {
        if adapter.contains(feature) && !requested.contains(feature) {
            requested.push(feature.clone());
        }
    }
    Ok(requested)
}
