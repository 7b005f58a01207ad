// elementwise: one expression over one array.

import assert from "node:assert/strict";

import { assertFailure, assertFailures } from "./failure.mjs";
import { pageTest } from "./harness.mjs";

pageTest("an expression runs over each type of data, with x, i and n", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const double = gpu.elementwise("x * 2");
    const shown = async (promise) => {
      const array = await promise;
      return [array.constructor.name, ...array];
    };
    const seen = {
      numbers: await shown(double([1, 2, 3])),
      f32: await shown(double(Float32Array.of(0.5, -1))),
      i32: await shown(double(Int32Array.of(-4))),
      u32: await shown(gpu.elementwise("x + i * n")(Uint32Array.of(10, 20, 30))),
      "u32 buffer": await shown(double(gpu.buffer(Uint32Array.of(7)))),
      vec2f: await shown(gpu.elementwise("x.yx")(gpu.buffer({ dtype: "vec2f", data: [1, 2, 3, 4] }))),
      vec4f: await shown(gpu.elementwise("x + vec4f(vec3f(0), f32(i))")(gpu.buffer({ dtype: "vec4f", data: new Array(8).fill(1) }))),
      subarray: await shown(double(gpu.buffer(Float32Array.from({ length: 66 }, (_, at) => at)).subarray(64))),
      functions: await shown(gpu.elementwise("select(sqrt(x), 0.0, x < 0.0)")([4, -4, 9])),
      "several lines": await shown(gpu.elementwise("max(\n  x,\n  2.0)")([1, 3])),
      none: [await shown(double([])), await shown(double(new Int32Array(0)))],
      "a buffer of none": await shown(double(gpu.buffer({ dtype: "u32", length: 0 }))),
    };
    const source = gpu.buffer(Float32Array.of(1, 2, 3));
    const target = gpu.buffer({ dtype: "f32", length: 3 });
    const info = await double.into(target, source);
    seen.into = [info, ...(await target.read())];
    await double.into(target, [5, 6, 7]);
    seen.again = [...(await target.read())];
    await gpu.close();
    return seen;
  });
  assert.deepEqual(seen, {
    numbers: ["Float32Array", 2, 4, 6],
    f32: ["Float32Array", 1, -2],
    i32: ["Int32Array", -8],
    u32: ["Uint32Array", 10, 23, 36],
    "u32 buffer": ["Uint32Array", 14],
    vec2f: ["Float32Array", 2, 1, 4, 3],
    vec4f: ["Float32Array", 1, 1, 1, 1, 1, 1, 1, 2],
    subarray: ["Float32Array", 128, 130],
    functions: ["Float32Array", 2, 0, 3],
    "several lines": ["Float32Array", 2, 3],
    none: [["Float32Array"], ["Int32Array"]],
    "a buffer of none": ["Uint32Array"],
    into: [{ generation: 1, attempts: 1 }, 2, 4, 6],
    again: [10, 12, 14],
  });
});

pageTest("every length comes out whole, past 65,535 workgroups too", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const index = gpu.elementwise("x + i");
    const wrong = [];
    for (const length of [1, 255, 256, 257, 65_535, 65_535 * 256, 65_535 * 256 + 1]) {
      const x = new Uint32Array(length).fill(5);
      const y = await index(x);
      if (y.length !== length || !y.every((value, at) => value === at + 5)) wrong.push(length);
    }
    await gpu.close();
    return wrong;
  });
  assert.deepEqual(seen, []);
});

pageTest("one text is compiled once for each type, whoever asks", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    let compiles = 0;
    const original = GPUDevice.prototype.createComputePipelineAsync;
    GPUDevice.prototype.createComputePipelineAsync = function (...args) {
      compiles += 1;
      return original.apply(this, args);
    };
    for (let round = 0; round < 3; round++) {
      await gpu.elementwise("x * 3")([1]);
      await gpu.elementwise("x * 3")(Int32Array.of(1));
    }
    GPUDevice.prototype.createComputePipelineAsync = original;
    await gpu.close();
    return compiles;
  });
  assert.equal(seen, 2);
});

pageTest("an expression that is none is refused where it is wrong; so is data it cannot take", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const failed = {};
    const expressions = {
      "an unknown name": "x + missing", "a second line": "x +\n  missing * 2", "a statement": "x; }", "a comment": "x // y",
      "an open parenthesis": "(x", "another type": "vec2f(x)", nothing: "", "an attribute": "@x", "a brace": "x }",
    };
    for (const [name, text] of Object.entries(expressions)) failed[name] = await failureOf(gpu.elementwise(text)([1, 2]));
    const double = gpu.elementwise("x * 2");
    const detached = new Float32Array(2);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    const target = gpu.buffer({ dtype: "f32", length: 2 });
    const refused = {
      "no text": await failureOf(async () => gpu.elementwise(5)),
      "no data": await failureOf(double()),
      bytes: await failureOf(double(new Uint8Array(4))),
      "a text": await failureOf(double("12")),
      detached: await failureOf(double(detached)),
      "numbers that are none": await failureOf(double([1, null])),
      "no target": await failureOf(double.into([], [1])),
      "a target of another type": await failureOf(double.into(target, Int32Array.of(1, 2))),
      "a target of vectors": await failureOf(double.into(gpu.buffer({ dtype: "vec2f", length: 2 }), [1, 2])),
      "a longer target": await failureOf(double.into(target, [1])),
      "a shorter target": await failureOf(double.into(target, [1, 2, 3])),
      "into itself": await failureOf(double.into(target, target)),
    };
    await doGoodJob(gpu);
    await gpu.close();
    return { failed, refused };
  });
  const wgsl = (context) => [[1004, "compile", "wgsl"], { context: { label: "elementwise", ...context } }];
  const invalid = [[1006, "compile", "argument-invalid"], {}];
  assertFailures(seen.failed, {
    "an unknown name": wgsl({ line: 1, column: 5, snippet: "x + missing" }),
    "a second line": wgsl({ line: 2, column: 3, snippet: "  missing * 2" }),
    "a statement": invalid, "a comment": invalid, "an open parenthesis": invalid,
    "another type": wgsl({}),
    nothing: invalid, "an attribute": invalid, "a brace": invalid,
  });
  assert.match(seen.failed["an unknown name"].message, /^`elementwise` did not compile: line 1, column 5: .*missing/);
  const argument = [[1006, "dispatch", "argument-invalid"], {}];
  assertFailures(seen.refused, {
    "no text": [[1006, "compile", "argument-invalid"], { message: "expr must be a string, but is 5." }],
    "no data": argument, bytes: argument, "a text": argument,
    detached: [[1006, "dispatch", "detached"], {}],
    "numbers that are none": [[1006, "dispatch", "argument-invalid"], { context: { index: 1, got: "null" } }],
    "no target": argument,
    "a target of another type": [[1006, "dispatch", "type-mismatch"], { context: { name: "y" } }],
    "a target of vectors": [[1006, "dispatch", "type-mismatch"], { context: { expected: "f32", got: "vec2f" } }],
    "a longer target": [[1006, "dispatch", "length-mismatch"], { context: { expected: "1 elements long", got: "2" } }],
    "a shorter target": [[1006, "dispatch", "length-mismatch"], { context: { expected: "3 elements long", got: "2" } }],
    "into itself": [[1006, "dispatch", "aliased"], {}],
  });
});

pageTest("where the device has f16, halves compute as well; elsewhere they are a missing feature", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const double = gpu.elementwise("x * 2");
    const halves = gpu.buffer({ dtype: "f16", data: [1, 2, 3] });
    const has = gpu.features.has("shader-f16");
    const result = has ? { bits: [...(await double(halves))] } : { failure: await failureOf(double(halves)) };
    await doGoodJob(gpu);
    await gpu.close();
    return { has, ...result };
  });
  if (seen.has) assert.deepEqual(seen.bits, [0x4000, 0x4400, 0x4600]);
  else assertFailure(seen.failure, [1002, "compile", "feature-missing"], { context: { feature: "shader-f16" } });
});
