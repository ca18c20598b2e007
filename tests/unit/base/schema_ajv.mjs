// schema_ajv.mjs COUNT SEED - random schemas and values with ajv's verdicts
//
// Prints one line a pair: the schema, a tab, the value, a tab, "valid" or
// "invalid". Numbers are such that doubles are exact, because ajv has nothing
// else. Used by schema_ajv_test.c, which compares our verdicts.
import { createRequire } from "node:module";

const [count, seed, unevaluated] = process.argv.slice(2).map(Number);
const require = createRequire(new URL("../../e2e/package.json", import.meta.url));
const Ajv = require("ajv/dist/2020.js").default;

let state = seed >>> 0 || 1;
function random(n) { // xorshift32, below n
  state ^= state << 13; state >>>= 0;
  state ^= state >>> 17;
  state ^= state << 5; state >>>= 0;
  return state % n;
}
const pick = (list) => list[random(list.length)];
const some = (n, make) => Array.from({ length: random(n + 1) }, make);

const NAMES = ["a", "b", "c", "d", "xy"];
const STRINGS = ["", "a", "b", "ab", "xyz", "é", "😀😀", "1"];
const NUMBERS = [0, 1, 2, 3, -1, 0.5, 2.5, 10];
const PATTERNS = ["^a", "b$", "^x?y?$", "\\d", "^.{2}$", "[^a]", "^\\p{L}+$"];
const TYPES = ["string", "number", "integer", "boolean", "null", "array", "object"];
const DEFS = 3;

function value(depth) {
  switch (random(depth > 0 ? 8 : 5)) {
    case 0: return null;
    case 1: return pick([true, false]);
    case 2: return pick(NUMBERS);
    case 3: case 4: return pick(STRINGS);
    case 5: return some(4, () => value(depth - 1));
    default: return Object.fromEntries(some(4, () => [pick(NAMES), value(depth - 1)]));
  }
}

// `def`: the definition that this is part of in place (references go only to
// later ones, so that there are no circles); `inner`: below a member or item.
function schema(depth, def) {
  if (depth <= 0 || random(12) === 0)
    return pick([true, true, false, {}, { type: pick(TYPES) }, { const: value(0) }]);
  const out = {};
  for (let n = 1 + random(3); n > 0; n--)
    Object.assign(out, pick(MAKERS)(depth - 1, def));
  // ajv takes [] for {contains: ..., prefixItems: [...]}, though nothing in it
  // matches; so the two are not combined.
  if ("contains" in out) delete out.prefixItems;
  return out;
}
const named = (make) => Object.fromEntries(some(3, () => [pick(NAMES), make()]));
const inner = (depth) => schema(depth, -1);

const MAKERS = [
  () => ({ type: pick([pick(TYPES), [pick(TYPES), "null"], ["string", "number"]]) }),
  () => ({ enum: [value(1), value(1), value(0)] }),
  () => ({ const: value(1) }),
  () => ({ [pick(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])]: pick(NUMBERS) }),
  () => ({ multipleOf: pick([1, 2, 0.5]) }),
  () => ({ [pick(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"])]: random(4) }),
  () => ({ pattern: pick(PATTERNS) }),
  () => ({ uniqueItems: pick([true, false]) }),
  () => ({ required: [...new Set(some(2, () => pick(NAMES)))] }),
  () => ({ dependentRequired: named(() => [pick(NAMES)]) }),
  (d) => ({ properties: named(() => inner(d)) }),
  (d) => ({ properties: named(() => inner(d)), additionalProperties: inner(d - 1) }),
  (d) => ({ patternProperties: { [pick(PATTERNS)]: inner(d) } }),
  (d) => ({ additionalProperties: inner(d) }),
  (d) => ({ propertyNames: inner(d) }),
  (d) => ({ items: inner(d) }),
  (d) => ({ prefixItems: [inner(d), ...some(2, () => inner(d))] }),
  (d) => ({ prefixItems: [inner(d)], items: inner(d) }),
  (d) => ({ contains: inner(d) }),
  (d) => ({ contains: inner(d), [pick(["minContains", "maxContains"])]: random(3) }),
  (d, def) => ({ dependentSchemas: named(() => schema(d, def)) }),
  (d, def) => ({ allOf: [schema(d, def), ...some(2, () => schema(d, def))] }),
  (d, def) => ({ anyOf: [schema(d, def), ...some(2, () => schema(d, def))] }),
  (d, def) => ({ oneOf: [schema(d, def), ...some(2, () => schema(d, def))] }),
  (d, def) => ({ not: schema(d, def) }),
  (d, def) => ({ if: schema(d, def), then: schema(d, def), else: schema(d, def) }),
  (d, def) => ({ if: schema(d, def), then: schema(d, def) }),
  (_, def) => def + 1 < DEFS ? { $ref: `#/$defs/${def + 1 + random(DEFS - def - 1)}` } : {},
  (_, def) => def < 0 ? { $ref: `#/$defs/${random(DEFS)}` } : {},
];

if (unevaluated)
  MAKERS.push((d) => ({ unevaluatedProperties: inner(d - 1) }),
    () => ({ unevaluatedProperties: false }),
    (d) => ({ unevaluatedItems: inner(d - 1) }));

let left = count;
while (left > 0) {
  const root = schema(4, -1);
  if (typeof root !== "object") continue;
  root.$defs = {};
  for (let i = 0; i < DEFS; i++) root.$defs[i] = schema(2, i);
  const ajv = new Ajv({ strict: false, validateSchema: false, validateFormats: false,
    addUsedSchema: false, logger: false });
  const validate = ajv.compile(root);
  for (let n = Math.min(left, 8); n > 0; n--) {
    const v = value(3);
    let verdict;
    try {
      verdict = validate(v) ? "valid" : "invalid";
    } catch {
      continue; // its generated code has a bug
    }
    process.stdout.write(`${JSON.stringify(root)}\t${JSON.stringify(v)}\t${verdict}\n`);
    left--;
  }
}
