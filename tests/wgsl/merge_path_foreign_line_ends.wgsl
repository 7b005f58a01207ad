// Saved by an editor of another system: CR LF line ends, tabs, form feeds.
@group(0)	@binding(0)	var<storage,	read> left:	array<f32>;
@group(0)	@binding(1)	var<storage,	read> right:	array<f32>;

@group(0) @binding(2) var<storage, read_write> merged: array<f32>;
// The line below is no comment: U+2028 ends this one. @group(1) @binding(0) var<uniform> count: u32;
// Nor this: U+0085.const LANES=‎64u;

@compute	@workgroup_size(LANES)
fn merge(@builtin(global_invocation_id) id: vec3<u32>)
{
	if (id.x >= count) { return; }
	var low = 0u; var high = arrayLength(&right);
	while (low < high) {
		let middle = (low + high) / 2u;
		if (right[middle] < left[id.x]) { low = middle + 1u; } else { high = middle; }
	}
	merged[id.x + low] = left[id.x];
}
