// schema-random.mjs - random JSON schemas that are right and end
//
// A schema is a root with definitions. A reference that stands where the same
// value is judged again (allOf, not ...) leads only to later definitions; one
// that stands below a keyword for parts of the value may lead anywhere. So
// every circle of references makes progress.

import { randomPattern } from "./pattern-random.mjs";
import { subschemas } from "./schema-reference.mjs";

export const names = ["a", "b", "c", "foo", "bar", "x1", "x2", "a/b", "m~n", "%25", "é", "\u{1f600}", ""];
const types = ["object", "array", "string", "number", "integer", "boolean", "null"];
const letters = [...'aabcx1 é\u{1f600}\u{10ffff}\u0000\n"\\'];

export const uris = {
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "draft-07": "http://json-schema.org/draft-07/schema#",
};

export const randomText = (r, most = 4) => Array.from({ length: r.int(0, most) }, () => r.pick(letters)).join("");
export const randomName = (r) => (r.chance(0.9) ? r.pick(names) : randomText(r, 2));

export function randomNumber(r) {
  return r.weighed([
    [6, () => r.int(-3, 10)],
    [3, () => r.int(-50, 100) / 10],
    [1, () => r.int(-500, 1000) / 100],
    [0.5, () => r.pick([0, -0, 1e300, -1e300, 5e-324, 2 ** 53, -(2 ** 53), 2 ** 53 + 2, 1e21, 1e-7, 0.1, 1.5e10])],
  ])();
}

export function randomValue(r, depth = 2) {
  return r.weighed([
    [3, () => randomNumber(r)],
    [3, () => randomText(r)],
    [1, () => r.chance(0.5)],
    [1, () => null],
    [depth > 0 ? 2 : 0.3, () => Array.from({ length: depth > 0 ? r.int(0, 3) : 0 }, () => randomValue(r, depth - 1))],
    [
      depth > 0 ? 2 : 0.3,
      () =>
        Object.fromEntries(
          r.some(names.slice(0, 6), depth > 0 ? 0.3 : 0).map((name) => [name, randomValue(r, depth - 1)]),
        ),
    ],
  ])();
}

class Maker {
  constructor(r, dialect) {
    this.r = r;
    this.dialect = dialect;
    this.old = dialect === "draft-07";
    this.defsKey = this.old || (dialect === "2019-09" && r.chance(0.3)) ? "definitions" : "$defs";
    this.base = r.chance(0.3) ? `https://example.org/${r.int(0, 1e9)}/root` : null;
    this.dynamic = dialect === "2020-12" && r.chance(this.base ? 0.2 : 0.05);
    this.defs = []; // { name, anchor, id, schema, places }
  }

  root() {
    const { r } = this;
    const count = r.weighed([
      [3, 0],
      [2, 1],
      [2, 2],
      [1, 4],
    ]);
    const defNames = r.shuffled(["d0", "d 1", "a/b", "m~n", "p%q", "é", "d6"]);
    for (let i = 0; i < count; i++) this.defs.push(this.#plan(defNames[i], i));
    for (let i = count - 1; i >= 0; i--) this.#fill(this.defs[i], i);
    this.resource = null;
    let schema = this.schema(
      r.weighed([
        [4, 1],
        [3, 2],
        [0.3, 3],
      ]),
      { next: 0 },
    );
    if (typeof schema === "boolean") {
      if (count === 0 && this.dialect === "2020-12") return schema;
      schema = schema ? {} : { not: {} };
    }
    const head = {};
    if (this.dialect !== "2020-12" || r.chance(0.5)) head.$schema = uris[this.dialect];
    if (this.base) head.$id = this.base;
    if (this.dynamic) head.$dynamicAnchor = "node";
    if (this.old && "$ref" in schema && (count > 0 || this.base)) schema = { allOf: [schema] };
    schema = { ...head, ...schema };
    if (count > 0) schema[this.defsKey] = Object.fromEntries(this.defs.map((def) => [def.name, def.schema]));
    return schema;
  }

  #plan(name, i) {
    const { r } = this;
    const def = { name, schema: null, places: [] };
    if (this.base && r.chance(0.35)) def.id = `res${i}`;
    // in draft-07 one $id says one of the two
    if (r.chance(0.2) && !(this.old && def.id)) def.anchor = `anchor${i}`;
    if (this.dynamic && def.id && r.chance(0.7)) def.dynamic = true;
    return def;
  }

  #fill(def, index) {
    const { r } = this;
    this.resource = def.id ?? null;
    let schema = this.schema(
      r.weighed([
        [2, 0],
        [3, 1],
        [0.5, 2],
      ]),
      { next: index + 1 },
    );
    if (typeof schema === "boolean" && (def.anchor || def.id || def.dynamic)) schema = schema ? {} : { not: {} };
    if (this.old && typeof schema === "object" && "$ref" in schema) schema = { allOf: [schema] };
    if (typeof schema === "object") {
      const id = def.id && (r.chance(0.5) ? def.id : new URL(def.id, this.base).href);
      if (this.old) {
        if (id || def.anchor) schema.$id = id ?? `#${def.anchor}`;
      } else {
        if (id) schema.$id = id;
        if (def.anchor) schema.$anchor = def.anchor;
        if (def.dynamic) schema.$dynamicAnchor = "node";
      }
      this.#places(schema, [], def.places);
    }
    def.schema = schema;
  }

  // Pointers of all subschemas, not through what a draft-07 $ref hides.
  #places(schema, path, into) {
    if (typeof schema !== "object" || (this.old && "$ref" in schema)) return;
    for (const [parts, sub] of subschemas(schema)) {
      into.push([...path, ...parts]);
      this.#places(sub, [...path, ...parts], into);
    }
  }

  static #fragment(parts) {
    return parts.map((part) => `/${encodeURIComponent(part.replace(/~/g, "~0").replace(/\//g, "~1"))}`).join("");
  }

  // The root's or a resource's URI as seen from where we are.
  #uri(resource) {
    if (!this.base || (resource === this.resource && this.r.chance(0.7))) return "";
    const uri = resource ? new URL(resource, this.base).href : this.base;
    return this.r.chance(0.5) ? uri : uri.split("/").at(-1);
  }

  #refTo(def, path = []) {
    const { r } = this;
    if (def.anchor && path.length === 0 && r.chance(0.5)) return `${this.#uri(def.id ?? null)}#${def.anchor}`;
    if (def.id) return this.#uri(def.id) + (path.length > 0 ? `#${Maker.#fragment(path)}` : r.pick(["", "#"]));
    return `${this.#uri(null)}#${Maker.#fragment([this.defsKey, def.name, ...path])}`;
  }

  // A $ref that may stand at `spot`, or null.
  reference(spot) {
    const { r, defs } = this;
    if (!spot.free) {
      const later = defs.slice(spot.next);
      return later.length > 0 ? this.#refTo(r.pick(later)) : null;
    }
    if (r.chance(0.15)) return `${this.#uri(null)}#`;
    if (defs.length === 0) return null;
    const def = r.pick(defs);
    return def.places.length > 0 && r.chance(0.3) ? this.#refTo(def, r.pick(def.places)) : this.#refTo(def);
  }

  // spot: { next, free, focus }: definitions from `next` on may be referred to
  // in place, or all when `free`; `focus` is the type that parents speak of.
  schema(depth, spot) {
    const { r } = this;
    if (r.chance(0.06)) return r.chance(0.6);
    const focus =
      spot.focus && r.chance(0.8)
        ? spot.focus
        : r.weighed([
            [4, "object"],
            [3, "array"],
            [2, "string"],
            [2, "number"],
            [0.5, "any"],
          ]);
    const schema = {};
    if (r.chance(0.5)) this.#type(schema, focus);
    if (r.chance(0.04)) schema.enum = this.#enum(focus);
    if (r.chance(0.02)) schema.const = this.#constant(focus);
    if (focus === "number") this.#number(schema);
    if (focus === "string") this.#string(schema);
    if (focus === "array") this.#array(schema, depth - 1, { next: 0, free: true });
    if (focus === "object") this.#object(schema, depth - 1, { next: 0, free: true }, { ...spot, focus });
    if (depth > 0) this.#combine(schema, depth - 1, { ...spot, focus });
    const ref = r.chance(0.25) ? this.reference(spot) : null;
    if (ref !== null) schema.$ref = ref;
    if (this.old && ref !== null && r.chance(0.9)) delete schema.type; // ajv heeds it
    if (this.dynamic && spot.free && r.chance(0.3)) schema.$dynamicRef = "#node";
    if (
      this.dynamic &&
      schema.$dynamicRef &&
      this.resource &&
      !this.defs.find((def) => def.id === this.resource).dynamic
    )
      delete schema.$dynamicRef;
    return Object.fromEntries(r.shuffled(Object.entries(schema)));
  }

  #type(schema, focus) {
    const { r } = this;
    const main = focus === "any" ? r.pick(types) : focus === "number" && r.chance(0.4) ? "integer" : focus;
    schema.type = r.chance(0.75) ? main : [...new Set([main, ...r.some(types, 0.25)])];
  }

  #constant(focus) {
    const { r } = this;
    if (focus === "number") return randomNumber(r);
    if (focus === "string") return randomText(r);
    return randomValue(r);
  }

  #enum(focus) {
    const list = Array.from({ length: this.r.int(1, 4) }, () => this.#constant(focus));
    const seen = new Set(); // metaschemas want them unique
    return list.filter((value) => !seen.has(JSON.stringify(value)) && seen.add(JSON.stringify(value)));
  }

  #number(schema) {
    const { r } = this;
    for (const key of ["minimum", "exclusiveMinimum"])
      if (r.chance(0.25)) schema[key] = r.chance(0.9) ? r.int(-60, 40) / r.pick([1, 1, 10]) : randomNumber(r);
    for (const key of ["maximum", "exclusiveMaximum"])
      if (r.chance(0.25)) schema[key] = r.chance(0.9) ? r.int(-10, 100) / r.pick([1, 1, 10]) : randomNumber(r);
    if (r.chance(0.3)) schema.multipleOf = r.pick([1, 2, 3, 0.5, 0.1, 0.01, 2.5, 1.1, 0.3, 1e-7, 7]);
  }

  #string(schema) {
    const { r } = this;
    if (r.chance(0.3)) schema.minLength = r.int(0, 3);
    if (r.chance(0.3)) schema.maxLength = r.int(1, 6);
    if (r.chance(0.45)) schema.pattern = randomPattern(r);
  }

  #array(schema, depth, part) {
    const { r } = this;
    const sub = () => (depth >= 0 ? this.schema(depth, part) : this.leaf(part));
    const tuple = () => Array.from({ length: r.int(1, 2) }, sub);
    if (this.dialect === "2020-12") {
      if (r.chance(0.35)) schema.prefixItems = tuple();
      if (r.chance(0.35)) schema.items = sub();
    } else if (r.chance(0.35)) {
      schema.items = tuple();
      if (r.chance(0.5)) schema.additionalItems = sub();
    } else if (r.chance(0.4)) schema.items = sub();
    if (r.chance(0.3)) {
      schema.contains = sub();
      if (!this.old && r.chance(0.4)) schema.minContains = r.int(0, 2);
      if (!this.old && r.chance(0.3)) schema.maxContains = r.int(0, 3);
    }
    if (r.chance(0.15)) schema.minItems = r.int(0, 2);
    if (r.chance(0.15)) schema.maxItems = r.int(0, 4);
    if (r.chance(0.2)) schema.uniqueItems = r.chance(0.85);
    if (!this.old && r.chance(0.2)) schema.unevaluatedItems = r.chance(0.5) ? false : sub();
  }

  #object(schema, depth, part, place) {
    const { r } = this;
    const sub = () => (depth >= 0 ? this.schema(depth, part) : this.leaf(part));
    const map = (keys, make) => Object.fromEntries([...new Set(keys)].map((key) => [key, make()]));
    const some = (most) => Array.from({ length: r.int(1, most) }, () => randomName(r));
    const wanted = () => [...new Set(some(2))].filter((name) => name !== "" || r.chance(0.05)); // ajv does not miss ""
    if (r.chance(0.6)) schema.properties = map(some(3), sub);
    if (r.chance(0.2))
      schema.patternProperties = map(
        Array.from({ length: r.int(1, 2) }, () =>
          r.chance(0.5) ? r.pick(["^x", "a", "^[a-c]$", "\\d$", "^.{1,2}$", "^$"]) : randomPattern(r),
        ),
        sub,
      );
    if (r.chance(0.25)) schema.additionalProperties = r.chance(0.5) ? false : sub();
    if (r.chance(0.12)) schema.propertyNames = this.schema(Math.min(depth, 0), { ...part, focus: "string" });
    if (r.chance(0.3)) schema.required = wanted();
    if (r.chance(0.12)) schema.minProperties = r.int(0, 2);
    if (r.chance(0.12)) schema.maxProperties = r.int(0, 4);
    this.#dependent(schema, depth, place, map, wanted);
    if (!this.old && r.chance(0.25)) schema.unevaluatedProperties = r.chance(0.6) ? false : sub();
  }

  #dependent(schema, depth, place, map, list) {
    const { r } = this;
    const sub = () => (depth >= 0 ? this.schema(depth, place) : this.leaf(place));
    if (this.old) {
      if (r.chance(0.15))
        schema.dependencies = map([randomName(r), randomName(r)], () => (r.chance(0.5) ? list() : sub()));
      return;
    }
    if (r.chance(0.1)) schema.dependentRequired = map([randomName(r)], list);
    if (r.chance(0.1)) schema.dependentSchemas = map([randomName(r)], sub);
  }

  // Keywords that judge the same value again.
  #combine(schema, depth, spot) {
    const { r } = this;
    const sub = () => this.schema(depth, spot);
    const list = () =>
      Array.from(
        {
          length: r.weighed([
            [2, 1],
            [3, 2],
            [1, 3],
          ]),
        },
        sub,
      );
    for (const key of ["allOf", "anyOf", "oneOf"]) if (r.chance(0.15)) schema[key] = list();
    if (r.chance(0.1)) schema.not = sub();
    if (!r.chance(0.15)) return;
    schema.if = sub();
    if (r.chance(0.7)) schema.then = sub();
    if (r.chance(0.7)) schema.else = sub();
  }

  leaf(spot) {
    const { r } = this;
    const ref = r.chance(0.3) ? this.reference(spot) : null;
    if (ref !== null) return { $ref: ref };
    const focus = r.pick(["string", "number", "any"]);
    const schema = {};
    if (r.chance(0.6)) this.#type(schema, focus);
    if (focus === "number" && r.chance(0.6)) this.#number(schema);
    if (focus === "string" && r.chance(0.6)) this.#string(schema);
    if (r.chance(0.15)) schema.enum = this.#enum(focus);
    return schema;
  }
}

export const randomSchema = (r, dialect) => new Maker(r, dialect).root();

const wrong = [
  "int",
  -1,
  1.5,
  [],
  {},
  null,
  ["a", "a"],
  [1],
  [[]],
  { a: 1 },
  { a: "x" },
  { a: ["b", "b"] },
  true,
  "",
  "a b",
  -0.5,
];

function* spots(schema) {
  if (typeof schema !== "object") return;
  yield schema;
  for (const [, sub] of subschemas(schema)) yield* spots(sub);
}

// A random schema in which one keyword has another value, likely a wrong one:
// { schema, keyword, spot }, the spot being the subschema with that keyword.
export function brokenSchema(r, dialect) {
  for (;;) {
    const schema = randomSchema(r, dialect);
    if (typeof schema === "boolean") continue;
    schema.$schema = uris[dialect];
    const spot = r.pick([...spots(schema)]);
    const keywords = Object.keys(spot).filter((key) => key !== "$schema");
    if (keywords.length === 0) continue;
    const keyword = r.pick(keywords);
    spot[keyword] = r.chance(0.8) ? structuredClone(r.pick(wrong)) : randomValue(r);
    return { schema, keyword, spot };
  }
}
