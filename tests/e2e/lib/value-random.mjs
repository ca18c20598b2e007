// value-random.mjs - values that nearly fit a schema
//
// A value is built to please the keywords it meets (not all at once), then
// often broken in one place.

import { textFor } from "./pattern-random.mjs";
import { names, randomName, randomNumber, randomText, randomValue } from "./schema-random.mjs";

const isObject = (v) => v !== null && typeof v === "object" && !Array.isArray(v);

const typeOfKeyword = {
  object: [
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "unevaluatedProperties",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
  ],
  array: ["items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems"],
  string: ["minLength", "maxLength", "pattern"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
};

// The object schemas that judge the same value, by one choice of branches.
function together(r, reference, schema, into = [], left = { count: 30 }) {
  if (!isObject(schema) || left.count-- <= 0) return into;
  const add = (sub) => together(r, reference, sub, into, left);
  into.push(schema);
  if (schema.$ref !== undefined) add(reference.resolve(schema, schema.$ref));
  if (schema.$dynamicRef !== undefined) add(reference.schema);
  schema.allOf?.forEach(add);
  for (const list of [schema.anyOf, schema.oneOf]) if (list) add(r.pick(list));
  if (schema.if !== undefined && r.chance(0.5)) {
    add(schema.if);
    add(schema.then);
  } else add(schema.else);
  return into;
}

function chooseType(r, list) {
  let allowed = null;
  for (const { type } of list) {
    if (type === undefined) continue;
    const these = [type].flat();
    const both = allowed?.filter((name) => these.includes(name) || (name === "integer" && these.includes("number")));
    allowed = both?.length > 0 ? both : these;
  }
  if (allowed) return r.pick(allowed);
  const hinted = Object.keys(typeOfKeyword).filter((type) =>
    list.some((s) => typeOfKeyword[type].some((key) => key in s)),
  );
  return hinted.length > 0 && r.chance(0.9) ? r.pick(hinted) : null;
}

const all = (list, key) => list.filter((s) => s[key] !== undefined).map((s) => s[key]);
const least = (list, key, otherwise) => Math.max(otherwise, ...all(list, key));
const most = (list, key, otherwise) => Math.min(otherwise, ...all(list, key));

function makeNumber(r, list, whole) {
  const low = Math.max(least(list, "minimum", -Infinity), least(list, "exclusiveMinimum", -Infinity));
  const high = Math.min(most(list, "maximum", Infinity), most(list, "exclusiveMaximum", Infinity));
  const steps = all(list, "multipleOf");
  if (r.chance(0.15) && Number.isFinite(low)) return low;
  if (r.chance(0.15) && Number.isFinite(high)) return high;
  const step = steps.length > 0 ? r.pick(steps) : whole ? 1 : r.pick([1, 0.1, 0.5]);
  const start = Number.isFinite(low) ? low : Number.isFinite(high) ? high - 10 * step : -3;
  const k = Math.ceil(start / step) + r.int(0, 8);
  const exact = Number((k * step).toPrecision(15));
  return whole && r.chance(0.8) ? Math.round(exact) : exact;
}

function makeString(r, list) {
  const patterns = all(list, "pattern");
  let text =
    patterns.length > 0 ? textFor(r, r.pick(patterns)) : randomText(r, Math.min(6, most(list, "maxLength", 6)));
  while ([...text].length < least(list, "minLength", 0)) text += randomText(r, 1) || "a";
  const high = most(list, "maxLength", Infinity);
  return [...text].slice(0, high).join("");
}

const merged = (subs) => (subs.length === 1 ? subs[0] : { allOf: subs });

function makeArray(r, reference, list, depth) {
  const low = least(list, "minItems", 0);
  const high = Math.max(low, most(list, "maxItems", 4));
  const wanted = Math.max(low, ...list.map((s) => (Array.isArray(s.items) ? s.items : s.prefixItems)?.length ?? 0));
  const count = Math.min(high, r.chance(0.5) ? wanted : r.int(low, high));
  const found = all(list, "contains");
  const one = (i) => {
    const subs = list.flatMap((s) => {
      const tuple = Array.isArray(s.items) ? s.items : s.prefixItems;
      if (tuple && i < tuple.length) return [tuple[i]];
      return [Array.isArray(s.items) ? s.additionalItems : (s.items ?? s.unevaluatedItems)].filter(
        (sub) => sub !== undefined,
      );
    });
    if (found.length > 0 && r.chance(0.5)) subs.push(r.pick(found));
    return makeValue(r, reference, merged(subs), depth - 1);
  };
  return Array.from({ length: count }, (_, i) => one(i));
}

function makeObject(r, reference, list, depth) {
  const keys = new Set(all(list, "required").flat());
  for (const map of all(list, "properties"))
    r.some(Object.keys(map), depth > 0 ? 0.7 : 0.2).forEach((key) => keys.add(key));
  for (const map of all(list, "patternProperties"))
    r.some(Object.keys(map), 0.4).forEach((pattern) => keys.add(textFor(r, pattern)));
  for (const sub of all(list, "propertyNames")) if (r.chance(0.5)) keys.add(String(makeValue(r, reference, sub, 0)));
  for (const map of [...all(list, "dependentRequired"), ...all(list, "dependencies")])
    for (const [key, wants] of Object.entries(map))
      if (keys.has(key) && Array.isArray(wants)) wants.forEach((other) => keys.add(other));
  const closed = list.some((s) => s.additionalProperties === false || s.unevaluatedProperties === false);
  if (r.chance(closed ? 0.1 : 0.4)) keys.add(randomName(r));
  while (keys.size < least(list, "minProperties", 0)) keys.add(r.pick(names) + (r.chance(0.3) ? "x" : ""));
  const object = {};
  for (const key of r.shuffled([...keys])) {
    const subs = list.flatMap((s) => {
      const here = [s.properties && Object.hasOwn(s.properties, key) ? s.properties[key] : undefined];
      for (const [pattern, sub] of Object.entries(s.patternProperties ?? {}))
        if (new RegExp(pattern, "u").test(key)) here.push(sub);
      const mine = here.filter((sub) => sub !== undefined);
      return mine.length > 0
        ? mine
        : [s.additionalProperties ?? s.unevaluatedProperties].filter((sub) => sub !== undefined);
    });
    object[key] = makeValue(r, reference, merged(subs), depth - 1);
  }
  return object;
}

// Parts that the value under construction may still get.
let partsLeft = 0;

function makeValue(r, reference, schema, depth) {
  if (depth < -2 || partsLeft-- <= 0) return r.pick([null, 1, "a"]);
  const list = together(r, reference, schema);
  const fixed = [...list.filter((s) => "const" in s).map((s) => s.const), ...all(list, "enum").flat()];
  if (fixed.length > 0 && r.chance(0.8)) return structuredClone(r.pick(fixed));
  const type = chooseType(r, list);
  if (type === "object") return makeObject(r, reference, list, depth);
  if (type === "array") return makeArray(r, reference, list, depth);
  if (type === "string") return makeString(r, list);
  if (type === "number" || type === "integer") return makeNumber(r, list, type === "integer");
  if (type === "boolean") return r.chance(0.5);
  return type === "null" ? null : randomValue(r, 1);
}

function changeText(r, text) {
  const points = [...text];
  const at = r.int(0, points.length);
  points.splice(at, r.int(0, 1), ...(r.chance(0.6) ? [r.pick([..."ab0 é\u{1f600}\n"])] : []));
  return points.join("");
}

function changeArray(r, list) {
  const at = r.int(0, list.length);
  if (list.length > 0 && r.chance(0.4)) return list.toSpliced(at, 1);
  return list.toSpliced(at, 0, list.length > 0 && r.chance(0.4) ? structuredClone(r.pick(list)) : randomValue(r, 1));
}

function changeObject(r, object) {
  const copy = { ...object };
  const keys = Object.keys(copy);
  if (keys.length > 0 && r.chance(0.5)) delete copy[r.pick(keys)];
  if (keys.length === 0 || r.chance(0.6)) copy[randomName(r)] = randomValue(r, 1);
  return copy;
}

// `value` with one change, somewhere in it.
function changed(r, value) {
  if (r.chance(0.1)) return randomValue(r);
  if (Array.isArray(value)) {
    if (value.length === 0 || r.chance(0.4)) return changeArray(r, value);
    const at = r.int(0, value.length - 1);
    return value.with(at, changed(r, value[at]));
  }
  if (isObject(value)) {
    const keys = Object.keys(value);
    if (keys.length === 0 || r.chance(0.4)) return changeObject(r, value);
    const key = r.pick(keys);
    return { ...value, [key]: changed(r, value[key]) };
  }
  if (typeof value === "number")
    return r.pick([value + 1, value - 1, Number((value + 0.1).toPrecision(15)), -value, randomNumber(r)]);
  if (typeof value === "string") return changeText(r, value);
  return randomValue(r, 1);
}

// A value for the schema of `reference`: fitting, nearly fitting, or any.
function randomInstance(r, reference) {
  if (r.chance(0.05)) return randomValue(r);
  partsLeft = 40;
  let value = makeValue(r, reference, reference.schema, 3);
  for (
    let left = r.weighed([
      [5, 0],
      [4, 1],
      [1, 2],
    ]);
    left > 0;
    left--
  )
    value = changed(r, value);
  return value;
}

// `count` values, valid ones and others in equal number where they are found.
export function randomInstances(r, reference, count) {
  const found = { true: [], false: [] };
  const enough = () => found.true.length >= count / 2 && found.false.length >= count / 2;
  for (let left = 4 * count; left > 0 && !enough(); left--) {
    const value = randomInstance(r, reference);
    found[reference.valid(value)].push(value);
  }
  const [few, many] = [found.true, found.false].sort((a, b) => a.length - b.length);
  const half = few.slice(0, Math.floor(count / 2));
  return [...half, ...many.slice(0, count - half.length)];
}
