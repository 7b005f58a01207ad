struct Adam {
    learning_rate: f32,
    beta1: f32,
    beta2: f32,
    epsilon: f32,
    weight_decay: f32,
    bias1: f32, /* 1 - beta1^t */
    bias2: f32, /* 1 - beta2^t */
}

@group(0) @binding(0) var<uniform> adam: Adam;
@group(0) @binding(1) var<storage, read> gradient: array<f32>;
@group(0) @binding(2) var<storage, read_write> parameter: array<f32>;
@group(0) @binding(3) var<storage, read_write> first: array<f32>;
@group(0) @binding(4) var<storage, read_write> second: array<f32>;

@compute @workgroup_size(64)
fn update(@builtin(global_invocation_id) gid: vec3u) {
    let i = gid.x;
    if i >= arrayLength(&parameter) { return; }
    let g = gradient[i];
    let m = mix(g, first[i], adam.beta1);
    let v = mix(g * g, second[i], adam.beta2);
    first[i] = m;
    second[i] = v;
    let step = (m / adam.bias1) / (sqrt(v / adam.bias2) + adam.epsilon);
    parameter[i] -= adam.learning_rate * (step + adam.weight_decay * parameter[i]);
}
