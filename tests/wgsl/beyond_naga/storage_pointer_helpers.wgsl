// naga 30 takes no pointers into storage as parameters.
requires unrestricted_pointer_parameters;

struct Queue { head: atomic<u32>, tail: atomic<u32>, jobs: array<u32, 1024> }
@group(0) @binding(0) var<storage, read_write> todo: Queue;
@group(0) @binding(1) var<storage, read_write> done: Queue;
@group(0) @binding(2) var<storage, read_write> failed: Queue;
@group(0) @binding(3) var<uniform> limit: u32;

fn take(queue: ptr<storage, Queue, read_write>) -> u32 {
    return (*queue).jobs[atomicAdd(&(*queue).head, 1u) % 1024u];
}
fn put(queue: ptr<storage, Queue, read_write>, job: u32) {
    (*queue).jobs[atomicAdd(&(*queue).tail, 1u) % 1024u] = job;
}
fn give_up(job: u32) { put(&failed, job); }

@compute @workgroup_size(64)
fn work() {
    let job = take(&todo);
    if job < limit { put(&done, job); }
}
