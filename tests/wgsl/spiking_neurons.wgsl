struct Neuron { potential: f32, recovery: f32, current: f32, fired: u32 }
struct Izhikevich { a: f32, b: f32, c: f32, d: f32 }

@group(0) @binding(0) var<storage, read_write> neurons: array<Neuron>;
@group(0) @binding(1) var<uniform> izhikevich: array<Izhikevich, 2>; // excitatory, inhibitory
@group(0) @binding(2) var<storage, read> noise: array<f32>;
@group(0) @binding(3) var<storage, read_write> spikes: array<u32>;

fn step_neuron(neuron: Neuron, p: Izhikevich, dt: f32) -> Neuron {
    var n = neuron;
    let v = n.potential;
    n.potential += dt * (0.04 * v * v + 5.0 * v + 140.0 - n.recovery + n.current);
    n.recovery += dt * p.a * (p.b * v - n.recovery);
    n.fired = u32(n.potential >= 30.0);
    if n.fired == 1u {
        n.potential = p.c;
        n.recovery += p.d;
    }
    return n;
}

@compute @workgroup_size(64)
fn simulate(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if i >= arrayLength(&neurons) { return; }
    let noise = noise[i] * 5.0;
    {
        var neurons = neurons[i];
        neurons.current += noise;
        let spikes = step_neuron(neurons, izhikevich[i & 1u], 0.5);
        if spikes.fired == 0u {
            return;
        }
    }
    neurons[i] = step_neuron(neurons[i], izhikevich[i & 1u], 0.5);
    spikes[i] += neurons[i].fired;
}
