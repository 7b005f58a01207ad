// The hand-written side: what a WebGPU expert writes when every object is made once and kept.
// A fresh array for the caller is part of a read on both sides; error scopes are only where the row says so.

/** A kernel with explicit layout; `bind` makes its bind group of storage buffers 0, 1, ... */
export function rawKernel(device, wgsl, accesses) {
  const layout = device.createBindGroupLayout({
    entries: accesses.map((type, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } })),
  });
  const pipeline = device.createComputePipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module: device.createShaderModule({ code: wgsl }) },
  });
  const bind = (...buffers) =>
    device.createBindGroup({
      layout,
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
  return { pipeline, bind };
}

export function rawBuffer(device, size, data) {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ size, usage });
  if (data) device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}

/** One pass of one dispatch for each bind group, with the pipeline set once. */
export function encodeDispatches(encoder, pipeline, bindGroups, workgroups) {
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  let bound;
  for (const bindGroup of bindGroups) {
    if (bindGroup !== bound) pass.setBindGroup(0, (bound = bindGroup));
    pass.dispatchWorkgroups(workgroups);
  }
  pass.end();
}

/** All dispatches in one encoder and one submit. */
export function submitTogether(device, pipeline, bindGroups, workgroups) {
  const encoder = device.createCommandEncoder();
  encodeDispatches(encoder, pipeline, bindGroups, workgroups);
  device.queue.submit([encoder.finish()]);
}

/** The same dispatch inside the scopes that tell every failure: a trio round everything, validation round the submit. */
export async function submitInScopes(device, pipeline, bindGroup, workgroups) {
  for (const filter of ["internal", "out-of-memory", "validation"]) device.pushErrorScope(filter);
  const encoder = device.createCommandEncoder();
  encodeDispatches(encoder, pipeline, [bindGroup], workgroups);
  device.pushErrorScope("validation");
  device.queue.submit([encoder.finish()]);
  const pops = [0, 1, 2, 3].map(() => device.popErrorScope());
  for (const error of await Promise.all(pops)) if (error) throw error;
}

/** Reads through one staging buffer that is kept. */
export function pooledReader(device, size) {
  const staging = stagingFor(device, size);
  return {
    encode: (encoder, source) => encoder.copyBufferToBuffer(source, 0, staging, 0, size),
    async array() {
      await staging.mapAsync(GPUMapMode.READ);
      const array = new Float32Array(staging.getMappedRange().slice(0));
      staging.unmap();
      return array;
    },
    async into(destination) {
      await staging.mapAsync(GPUMapMode.READ);
      destination.set(new Float32Array(staging.getMappedRange()));
      staging.unmap();
    },
    destroy: () => staging.destroy(),
  };
}

/** Reads through a staging buffer made for this read. */
export async function freshRead(device, source, size) {
  const staging = stagingFor(device, size);
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(source, 0, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const array = new Float32Array(staging.getMappedRange().slice(0));
  staging.destroy();
  return array;
}

/** Writes through one mapped staging buffer that is kept: faster than `writeBuffer` for many megabytes. */
export function pooledWriter(device, size) {
  const staging = device.createBuffer({ size, usage: GPUBufferUsage.MAP_WRITE | GPUBufferUsage.COPY_SRC });
  let mapped = staging.mapAsync(GPUMapMode.WRITE);
  return {
    async write(target, data) {
      await mapped;
      new Float32Array(staging.getMappedRange()).set(data);
      staging.unmap();
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(staging, 0, target, 0, size);
      device.queue.submit([encoder.finish()]);
      mapped = staging.mapAsync(GPUMapMode.WRITE);
      await device.queue.onSubmittedWorkDone();
    },
    destroy: () => mapped.then(() => staging.destroy()),
  };
}

function stagingFor(device, size) {
  return device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
}
