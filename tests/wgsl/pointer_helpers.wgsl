requires pointer_composite_access;

struct Stack { length: u32, items: array<i32, 32> }
@group(0) @binding(0) var<storage, read> program: array<vec2<i32>>;
@group(0) @binding(1) var<storage, read_write> outputs: array<i32>;
@group(0) @binding(2) var<storage, read_write> trace: array<i32>;

fn push(stack: ptr<function, Stack>, value: i32) {
    stack.items[stack.length] = value;
    stack.length++;
}
fn pop(stack: ptr<function, Stack>) -> i32 {
    stack.length--;
    return stack.items[stack.length];
}

@compute @workgroup_size(64)
fn interpret(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&outputs) { return; }
    var stack: Stack;
    let code = &program;
    let result = &outputs[gid.x];
    for (var at = 0u; at < arrayLength(code); at++) {
        let op = (*code)[at];
        switch op.x {
            case 0: { push(&stack, op.y); }
            case 1: { push(&stack, i32(gid.x)); }
            case 2, 3, 4: {
                let b = pop(&stack);
                let a = pop(&stack);
                push(&stack, select(select(a * b, a - b, op.x == 3), a + b, op.x == 2));
            }
            default: { break; }
        }
    }
    *result = pop(&stack);
}
