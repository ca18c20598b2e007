// schema-reference.mjs - JSON Schema, written down from the standard as it is
// read: slow and plain. It judges where the engine and ajv disagree.
//
// Dialects "2020-12", "2019-09" (without $recursiveRef) and "draft-07", for
// schemas that are right. Numbers are the shortest decimals of their doubles.
// Source: JSON Schema 2020-12 core and validation; draft-07.

const one = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];
const many = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const named = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

const isObject = (v) => v !== null && typeof v === "object" && !Array.isArray(v);
const isSchema = (v) => typeof v === "boolean" || isObject(v);
const has = (object, key) => Object.hasOwn(object, key);
const length = (text) => [...text].length;

// [pointer parts, subschema] of each direct subschema of an object schema.
export function subschemas(schema) {
  const found = [];
  for (const key of one) if (has(schema, key) && isSchema(schema[key])) found.push([[key], schema[key]]);
  for (const key of many)
    if (Array.isArray(schema[key])) schema[key].forEach((sub, i) => found.push([[key, String(i)], sub]));
  for (const key of named)
    if (isObject(schema[key]))
      for (const [name, sub] of Object.entries(schema[key])) if (isSchema(sub)) found.push([[key, name], sub]);
  return found;
}

export function equal(a, b) {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => has(b, key) && equal(a[key], b[key]));
}

function decimal(number) {
  const [, sign, whole, fraction = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(String(number));
  return { digits: BigInt(sign + whole + fraction), exponent: Number(power) - fraction.length };
}

export function isMultiple(number, divisor) {
  const a = decimal(number);
  const b = decimal(divisor);
  const least = Math.min(a.exponent, b.exponent);
  const whole = ({ digits, exponent }) => digits * 10n ** BigInt(exponent - least);
  return whole(a) % whole(b) === 0n;
}

const expressions = new Map();
function matches(pattern, text) {
  if (!expressions.has(pattern)) expressions.set(pattern, new RegExp(pattern, "u"));
  return expressions.get(pattern).test(text);
}

const isType = {
  null: (v) => v === null,
  boolean: (v) => typeof v === "boolean",
  number: (v) => typeof v === "number",
  integer: (v) => Number.isInteger(v),
  string: (v) => typeof v === "string",
  array: Array.isArray,
  object: isObject,
};

// Keywords that need nothing but their value: (value of keyword, instance).
const assertions = {
  type: (k, v) => [k].flat().some((name) => isType[name](v)),
  enum: (k, v) => k.some((item) => equal(item, v)),
  const: (k, v) => equal(k, v),
  minimum: (k, v) => typeof v !== "number" || v >= k,
  maximum: (k, v) => typeof v !== "number" || v <= k,
  exclusiveMinimum: (k, v) => typeof v !== "number" || v > k,
  exclusiveMaximum: (k, v) => typeof v !== "number" || v < k,
  multipleOf: (k, v) => typeof v !== "number" || isMultiple(v, k),
  minLength: (k, v) => typeof v !== "string" || length(v) >= k,
  maxLength: (k, v) => typeof v !== "string" || length(v) <= k,
  pattern: (k, v) => typeof v !== "string" || matches(k, v),
  minItems: (k, v) => !Array.isArray(v) || v.length >= k,
  maxItems: (k, v) => !Array.isArray(v) || v.length <= k,
  uniqueItems: (k, v) => !k || !Array.isArray(v) || v.every((a, i) => v.slice(i + 1).every((b) => !equal(a, b))),
  minProperties: (k, v) => !isObject(v) || Object.keys(v).length >= k,
  maxProperties: (k, v) => !isObject(v) || Object.keys(v).length <= k,
  required: (k, v) => !isObject(v) || k.every((name) => has(v, name)),
  dependentRequired: (k, v) =>
    !isObject(v) || Object.entries(k).every(([name, list]) => !has(v, name) || list.every((other) => has(v, other))),
};

export class Reference {
  #resources = new Map(); // by URI
  #homes = new Map(); // object schema -> its resource

  // Throws when a reference leads nowhere.
  constructor(schema, dialect) {
    this.schema = schema;
    this.dialect = dialect;
    this.old = dialect === "draft-07";
    this.#enter(schema, this.#resource("http://base.invalid/root", schema));
    for (const object of this.#homes.keys())
      for (const key of ["$ref", "$dynamicRef"]) if (has(object, key)) this.resolve(object, object[key]);
  }

  #resource(uri, root) {
    const resource = { uri, root, anchors: new Map(), dynamic: new Map() };
    this.#resources.set(uri, resource);
    return resource;
  }

  #enter(schema, outer) {
    if (!isObject(schema)) return;
    let home = outer;
    const reads = !(this.old && has(schema, "$ref"));
    if (reads && has(schema, "$id")) {
      if (this.old && schema.$id.startsWith("#")) home.anchors.set(schema.$id.slice(1), schema);
      else home = this.#resource(new URL(schema.$id, outer.uri).href, schema);
    }
    this.#homes.set(schema, home);
    const name = (anchor) => {
      if (home.anchors.has(anchor)) throw new Error(`anchor ${anchor} twice`);
      home.anchors.set(anchor, schema);
    };
    if (!this.old && has(schema, "$anchor")) name(schema.$anchor);
    if (this.dialect === "2020-12" && has(schema, "$dynamicAnchor")) {
      name(schema.$dynamicAnchor);
      home.dynamic.set(schema.$dynamicAnchor, schema);
    }
    for (const [, sub] of subschemas(schema)) this.#enter(sub, home);
  }

  #look(schema, ref) {
    const uri = new URL(ref, this.#homes.get(schema).uri);
    const fragment = decodeURIComponent(uri.hash.slice(1));
    uri.hash = "";
    const resource = this.#resources.get(uri.href);
    if (!resource) throw new Error(`no resource ${uri.href}`);
    if (fragment !== "" && !fragment.startsWith("/"))
      return { resource, name: fragment, target: resource.anchors.get(fragment) };
    let target = resource.root;
    for (const part of fragment.split("/").slice(1)) target = target[part.replace(/~1/g, "/").replace(/~0/g, "~")];
    return { resource, target };
  }

  // What `ref`, standing in `schema`, refers to.
  resolve(schema, ref) {
    const { target } = this.#look(schema, ref);
    if (!isSchema(target)) throw new Error(`${ref} leads nowhere`);
    return target;
  }

  #resolveDynamic(schema, ref, scope) {
    const { resource, name, target } = this.#look(schema, ref);
    if (name === undefined || !resource.dynamic.has(name)) return target;
    return scope.find((outer) => outer.dynamic.has(name)).dynamic.get(name);
  }

  // Throws a RangeError when the answer takes more than `most` steps.
  valid(value, most = 20_000) {
    this.steps = most;
    return this.#run(this.schema, value, []) !== null;
  }

  // null: invalid; else what was evaluated: { properties, items }.
  #run(schema, v, outer) {
    if (this.steps-- <= 0) throw new RangeError("too much work");
    if (schema === true) return { properties: new Set(), items: new Set() };
    if (schema === false) return null;
    const home = this.#homes.get(schema);
    const scope = outer.at(-1) === home ? outer : [...outer, home];
    const seen = { properties: new Set(), items: new Set() };
    const add = (result) => {
      for (const name of result?.properties ?? []) seen.properties.add(name);
      for (const index of result?.items ?? []) seen.items.add(index);
      return result !== null;
    };
    const same = (sub) => add(this.#run(sub, v, scope));
    const holds = (sub, part) => this.#run(sub, part, scope) !== null;
    if (this.old && has(schema, "$ref")) return same(this.resolve(schema, schema.$ref)) ? seen : null;
    for (const key of Object.keys(assertions))
      if (has(schema, key) && this.#knows(key) && !assertions[key](schema[key], v)) return null;
    const good =
      this.#inPlace(schema, v, scope, same) &&
      (!Array.isArray(v) || this.#array(schema, v, seen, holds)) &&
      (!isObject(v) || this.#object(schema, v, seen, holds, same));
    return good ? seen : null;
  }

  #knows(key) {
    return !this.old || key !== "dependentRequired";
  }

  #inPlace(schema, v, scope, same) {
    if (has(schema, "$ref") && !same(this.resolve(schema, schema.$ref))) return false;
    if (this.dialect === "2020-12" && has(schema, "$dynamicRef"))
      if (!same(this.#resolveDynamic(schema, schema.$dynamicRef, scope))) return false;
    if (has(schema, "allOf") && schema.allOf.filter(same).length < schema.allOf.length) return false;
    if (has(schema, "anyOf") && schema.anyOf.filter(same).length === 0) return false;
    if (has(schema, "oneOf") && schema.oneOf.filter(same).length !== 1) return false;
    if (has(schema, "not") && this.#run(schema.not, v, scope) !== null) return false;
    if (!has(schema, "if")) return true;
    const branch = same(schema.if) ? "then" : "else";
    return !has(schema, branch) || same(schema[branch]);
  }

  #array(schema, v, seen, holds) {
    const each = (from, sub) => v.every((item, i) => i < from || (seen.items.add(i) && holds(sub, item)));
    const modern = this.dialect === "2020-12";
    const tuple = modern ? schema.prefixItems : Array.isArray(schema.items) ? schema.items : undefined;
    const rest = modern || !tuple ? schema.items : schema.additionalItems;
    if (tuple && !v.slice(0, tuple.length).every((item, i) => seen.items.add(i) && holds(tuple[i], item))) return false;
    if (rest !== undefined && !each(tuple?.length ?? 0, rest)) return false;
    if (has(schema, "contains")) {
      const found = [...v.keys()].filter((i) => holds(schema.contains, v[i]));
      const { minContains: least = 1, maxContains: most = Infinity } = this.old ? {} : schema;
      if (found.length < least || found.length > most) return false;
      if (modern) found.forEach((i) => seen.items.add(i));
    }
    if (this.old || !has(schema, "unevaluatedItems")) return true;
    return v.every((item, i) => seen.items.has(i) || (holds(schema.unevaluatedItems, item) && seen.items.add(i)));
  }

  #object(schema, v, seen, holds, same) {
    const names = Object.keys(v);
    const own = new Set(); // by properties and patternProperties
    const member = (name, sub) => seen.properties.add(name) && holds(sub, v[name]);
    if (has(schema, "propertyNames") && !names.every((name) => holds(schema.propertyNames, name))) return false;
    for (const [name, sub] of Object.entries(schema.properties ?? {}))
      if (has(v, name) && own.add(name) && !member(name, sub)) return false;
    for (const [pattern, sub] of Object.entries(schema.patternProperties ?? {}))
      for (const name of names) if (matches(pattern, name) && own.add(name) && !member(name, sub)) return false;
    if (has(schema, "additionalProperties"))
      if (!names.every((name) => own.has(name) || member(name, schema.additionalProperties))) return false;
    if (!this.#dependencies(schema, v, same)) return false;
    if (this.old || !has(schema, "unevaluatedProperties")) return true;
    return names.every((name) => seen.properties.has(name) || member(name, schema.unevaluatedProperties));
  }

  #dependencies(schema, v, same) {
    const map = this.old ? schema.dependencies : schema.dependentSchemas;
    return Object.entries(map ?? {}).every(([name, wants]) => {
      if (!has(v, name)) return true;
      return Array.isArray(wants) ? wants.every((other) => has(v, other)) : same(wants);
    });
  }
}
