import { inout, out } from "steadfast-gpu";
import { element } from "../site/error_card.js";

const MOST_NUMBERS = 1_000_000;
const ARRAYS = { f32: Float32Array, i32: Int32Array, u32: Uint32Array, vec2f: Float32Array, vec4f: Float32Array };

/**
 * One row of fields for each binding of a kernel. Texts already typed under the same name stay.
 * @param {HTMLElement} form emptied and filled
 * @param {import("steadfast-gpu").Kernel["bindings"]} bindings
 */
export function showArguments(form, bindings) {
  const before = argumentTexts(form);
  const rows = bindings.map(({ name, space, access, type }) => {
    const row = element("div", "argument");
    row.dataset.name = name;
    Object.assign(row.dataset, { space, access, type });
    const label = element("label", "", name);
    label.htmlFor = `argument-${name}`;
    label.append(element("span", "quiet", ` ${space === "uniform" ? "uniform " : ""}${type}`));
    row.append(label);
    if (access === "read_write") row.append(directionOf(name, before[name]?.direction));
    const field = element("input");
    field.type = "text";
    field.id = label.htmlFor;
    field.spellcheck = false;
    field.autocomplete = "off";
    field.value = before[name]?.text ?? "";
    row.append(field);
    return row;
  });
  form.replaceChildren(...rows);
}

function directionOf(name, chosen = "out") {
  const select = element("select");
  select.setAttribute("aria-label", `${name}: output or in and out`);
  for (const [value, text] of [
    ["out", "output, length"],
    ["inout", "in and out, numbers"],
  ]) {
    select.append(new Option(text, value, false, value === chosen));
  }
  return select;
}

/** Puts texts into the fields. */
export function fillArguments(form, values, inPlace = []) {
  for (const row of form.children) {
    row.querySelector("input").value = values[row.dataset.name] ?? "";
    const direction = row.querySelector("select");
    if (direction) direction.value = inPlace.includes(row.dataset.name) ? "inout" : "out";
  }
}

function argumentTexts(form) {
  const texts = {};
  for (const row of form.querySelectorAll(".argument")) {
    texts[row.dataset.name] = { text: row.querySelector("input").value, direction: row.querySelector("select")?.value };
  }
  return texts;
}

/**
 * The arguments of `kernel.run`, read from the fields. An empty field is left out, so that the package says what is missing.
 * @returns {import("steadfast-gpu").Args}
 * @throws {Error} when a text is not numbers
 */
export function readArguments(form) {
  const args = {};
  for (const row of form.querySelectorAll(".argument")) {
    const { name, space, type } = row.dataset;
    const text = row.querySelector("input").value.trim();
    if (text === "") continue;
    const direction = row.querySelector("select")?.value;
    if (direction === "out") args[name] = out(dtypeOf(type), numbers(name, text)[0]);
    else if (direction === "inout") args[name] = inout(ARRAYS[dtypeOf(type)].from(numbers(name, text)));
    else if (space === "uniform") args[name] = uniform(name, text);
    else args[name] = numbers(name, text);
  }
  return args;
}

/** The numbers in a text: separated by commas or spaces, `0..9` for ten of them. */
export function numbers(name, text) {
  const all = [];
  for (const token of text.split(/[\s,]+/).filter(Boolean)) {
    const range = token.match(/^(-?\d+)\.\.(-?\d+)$/);
    const [first, last] = range ? [Number(range[1]), Number(range[2])] : [Number(token), Number(token)];
    if (Number.isNaN(first)) throw new Error(`${name}: “${token}” is not a number.`);
    if (last - first >= MOST_NUMBERS - all.length)
      throw new Error(`${name}: more than ${MOST_NUMBERS} numbers are too many for this box.`);
    for (let value = first; value <= last; value++) all.push(value);
  }
  return all;
}

function uniform(name, text) {
  if (!text.startsWith("{")) {
    const all = numbers(name, text);
    return all.length === 1 ? all[0] : all;
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${name}: ${text} is not JSON.`, { cause });
  }
}

/** The element type of a binding's WGSL type, as `out()` names it. */
function dtypeOf(type) {
  const vector = type.match(/\bvec([24])(?:f|<\s*f32\s*>)/);
  return vector ? `vec${vector[1]}f` : (type.match(/\b(f32|i32|u32|f16)\b/)?.[1] ?? "f32");
}
