// Random schemas on random values: the engine (tests/tools/schema_check.c)
// against ajv, and against lib/schema-reference.mjs, which says who is right.
//
// SCHEMA_PAIRS (2000) pairs of schema and value from SCHEMA_SEED on; each
// schema has a seed of its own, so that a failure runs again alone by
// SCHEMA_SEED=<its seed> SCHEMA_PAIRS=1. The engine must agree with the
// reference always, and with ajv but for the differences below.

import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { forgetPatterns } from "./lib/pattern-random.mjs";
import { Random, spell } from "./lib/random.mjs";
import { brokenSchema, randomSchema, uris } from "./lib/schema-random.mjs";
import { Reference, isMultiple, subschemas } from "./lib/schema-reference.mjs";
import { binary } from "./lib/server.mjs";
import { shrink } from "./lib/shrink.mjs";
import { randomInstances } from "./lib/value-random.mjs";

const tool = process.env.SCHEMA_CHECK ?? join(dirname(binary), "tools/schema_check");
const pairs = Number(process.env.SCHEMA_PAIRS ?? 2000);
const firstSeed = Number(process.env.SCHEMA_SEED ?? 1);
const valuesPerSchema = 6;
const schemasPerBatch = 200;

// Where ajv is known to differ from the standard. `fits` gets the shrunk case:
// the keywords in it, the schema, the value.
const differences = [
  {
    name: "multipleOf divides doubles, and reads the quotient by parseInt",
    fits: ({ schema, value }) =>
      some(schema, ({ multipleOf = 1 }) =>
        all(value).some((v) => typeof v === "number" && isMultiple(v, multipleOf) !== dividesInAjv(v, multipleOf)),
      ),
  },
  {
    name: 'required: the name "" is never missed',
    fits: ({ schema }) =>
      some(schema, (s) =>
        [s.required, ...Object.values({ ...s.dependentRequired, ...s.dependencies })].some(
          (list) => Array.isArray(list) && list.includes(""),
        ),
      ),
  },
  {
    name: "type counts beside $ref in draft-07",
    fits: ({ dialect, schema }) => dialect === "draft-07" && some(schema, (s) => "$ref" in s && "type" in s),
  },
  {
    name: "an if without then and else is skipped, so it evaluates nothing",
    fits: ({ keywords, schema }) =>
      unevaluates(keywords) && some(schema, (s) => "if" in s && !("then" in s && "else" in s)),
  },
  {
    name: "contains counts every item as evaluated",
    fits: ({ keywords }) => keywords.has("contains") && keywords.has("unevaluatedItems"),
  },
  {
    name: "its record of what was evaluated is undefined: an exception",
    fits: ({ ajv }) => /^error: (Cannot set properties of undefined|(items|props)\d+ is not defined)/.test(ajv),
  },
  {
    name: "what stands beside $dynamicRef is lost",
    fits: ({ schema }) => some(schema, (s) => "$dynamicRef" in s && Object.keys(s).length > 1),
  },
  {
    name: "a tuple longer than the array makes it forget a contains",
    fits: ({ schema, value }) =>
      some(
        schema,
        (s) =>
          "contains" in s && all(value).some((v) => Array.isArray(v) && v.length < (s.prefixItems ?? s.items)?.length),
      ),
  },
  {
    name: "contains keeps the verdict on the array before when there are no items",
    fits: ({ keywords, value, ajv }) =>
      ajv === true && keywords.has("contains") && all(value).some((v) => Array.isArray(v) && v.length === 0),
  },
  {
    name: "unevaluatedItems compares the length with true or undefined where the evaluated items depend on the value",
    fits: ({ keywords, value, ajv }) =>
      keywords.has("unevaluatedItems") &&
      branches.some((key) => keywords.has(key)) &&
      (ajv === true || all(value).some((v) => Array.isArray(v) && v.length > 1)),
  },
  {
    name: "dependentSchemas that do not apply lose the members that were evaluated before",
    fits: ({ keywords, ajv }) =>
      ajv === false && keywords.has("dependentSchemas") && keywords.has("unevaluatedProperties"),
  },
];

const branches = ["anyOf", "oneOf", "if", "dependentSchemas", "$ref", "$dynamicRef"];

const dividesInAjv = (number, divisor) => number / divisor === parseInt(number / divisor);

// A value and all that is in it.
const all = (value) =>
  value !== null && typeof value === "object" ? [value, ...Object.values(value).flatMap(all)] : [value];

const unevaluates = (keywords) => keywords.has("unevaluatedItems") || keywords.has("unevaluatedProperties");
const some = (schema, holds) =>
  typeof schema === "object" && (holds(schema) || subschemas(schema).some(([, sub]) => some(sub, holds)));

const ajvs = { "2020-12": Ajv2020, "2019-09": Ajv2019, "draft-07": Ajv };

function newAjv(dialect, validateSchema = true) {
  return new ajvs[dialect]({
    strict: false,
    validateSchema,
    validateFormats: false,
    logger: false,
    ownProperties: true, // else {} has a member "toString"
    ignoreKeywordsWithRef: dialect === "draft-07", // as the standard says
  });
}

// What each judge says of a case; an error is a verdict as well.
function ask(judge) {
  try {
    return judge();
  } catch (error) {
    return `error: ${error.message}`;
  }
}

const byAjv = (dialect, schema, value) => ask(() => newAjv(dialect, false).compile(schema)(value));
const byReference = (dialect, schema, value) => new Reference(schema, dialect).valid(value);

// Each case is { schema, values } as JSON text; each answer is a list of
// verdicts, as long as the values.
function byEngine(cases) {
  const input = cases.map(({ schema, values }) => `{"schema":${schema},"values":[${values.join(",")}]}\n`).join("");
  const run = spawnSync(tool, { input, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(run.status, 0, `${tool} ended with ${run.status ?? run.signal ?? run.error}:\n${run.stderr}`);
  const lines = run.stdout.split("\n").slice(0, -1);
  assert.equal(lines.length, cases.length, "one answer for each line");
  return lines.map((line, i) => {
    const { error, valid } = JSON.parse(line);
    return valid ?? cases[i].values.map(() => `error: ${error}`);
  });
}

function engineAlone(dialect, schema, value) {
  const whole = typeof schema === "object" ? { $schema: uris[dialect], ...schema } : schema;
  return byEngine([{ schema: JSON.stringify(whole), values: [JSON.stringify(value)] }])[0][0];
}

// The keywords of a schema and of all its subschemas.
function keywordsOf(schema, into = new Set()) {
  if (typeof schema === "boolean") return into;
  Object.keys(schema).forEach((key) => into.add(key));
  for (const [, sub] of subschemas(schema)) keywordsOf(sub, into);
  return into;
}

function makeCase(seed) {
  const r = new Random(seed);
  const dialect = r.weighed([
    [6, "2020-12"],
    [3, "draft-07"],
    [1, "2019-09"],
  ]);
  forgetPatterns();
  const schema = randomSchema(r, dialect);
  const reference = new Reference(schema, dialect);
  const values = randomInstances(r, reference, valuesPerSchema);
  const text = { schema: spell(r, schema), values: values.map((value) => spell(r, value)) };
  return { seed, dialect, schema, values, text, expected: values.map((value) => reference.valid(value)) };
}

// Why ajv differs from the reference here: a difference of the list, or null.
function explain({ dialect, schema, value, theirs }) {
  const metas = newAjv(dialect);
  const right = (candidate) => metas.validateSchema(candidate) === true;
  const fails = (s, v) => {
    const [a, b] = [byAjv(dialect, s, v), byReference(dialect, s, v)];
    return a !== b && typeof a === typeof theirs && right(s);
  };
  const small = shrink({ schema, value }, fails);
  const facts = {
    ...small,
    dialect,
    keywords: keywordsOf(small.schema),
    ajv: byAjv(dialect, small.schema, small.value),
  };
  return { ...facts, reason: differences.find((difference) => difference.fits(facts)) ?? null };
}

function report(what, { seed, dialect }, small) {
  const { schema, value } = small;
  return [
    `${what}, seed ${seed}, ${dialect}`,
    `  schema   ${JSON.stringify(schema)}`,
    `  value    ${JSON.stringify(value)}`,
    `  engine   ${engineAlone(dialect, schema, value)}`,
    `  ajv      ${byAjv(dialect, schema, value)}`,
    `  standard ${ask(() => byReference(dialect, schema, value))}`,
  ].join("\n");
}

function engineDiffers(one, i, verdict) {
  const value = one.values[i];
  const alone = engineAlone(one.dialect, one.schema, value);
  const fails = (s, v) => {
    const now = engineAlone(one.dialect, s, v);
    return typeof now === typeof verdict && now !== byReference(one.dialect, s, v);
  };
  if (alone !== verdict) {
    const text = `{"schema":${one.text.schema},"values":[${one.text.values[i]}]}`;
    return `the engine reads another spelling differently, seed ${one.seed}: ${verdict} but ${alone} plainly\n  ${text}`;
  }
  return report("engine differs from the standard", one, shrink({ schema: one.schema, value }, fails, 300));
}

// Is this pair settled, or the first failure of its schema?
function judgePair(one, i, engine, ajv, tally) {
  tally.pairs++;
  if (one.expected[i]) tally.valid++;
  if (engine !== one.expected[i]) return engineDiffers(one, i, engine);
  if (ajv === engine) return null;
  const found = explain({ ...one, value: one.values[i], theirs: ajv });
  if (!found.reason) return report("ajv differs, unexplained", one, found);
  tally.explained.set(found.reason, (tally.explained.get(found.reason) ?? 0) + 1);
  return null;
}

function judgeCase(one, engine, ajv, tally) {
  const check = ask(() => ajv.compile(JSON.parse(one.text.schema)));
  for (const i of one.values.keys()) {
    const theirs = typeof check === "string" ? check : ask(() => check(JSON.parse(one.text.values[i])));
    const failure = judgePair(one, i, engine[i], theirs, tally);
    if (failure === null) continue;
    console.log(failure);
    tally.failures++;
    return;
  }
}

test("the engine agrees with ajv", () => {
  const tally = { pairs: 0, valid: 0, costly: 0, explained: new Map(), failures: 0 };
  for (let seed = firstSeed; tally.pairs < pairs && tally.failures < 20;) {
    const cases = [];
    const wanted = Math.min(schemasPerBatch, Math.ceil((pairs - tally.pairs) / valuesPerSchema));
    for (; cases.length < wanted; seed++) {
      try {
        cases.push(makeCase(seed));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        tally.costly++;
      }
    }
    const answers = byEngine(cases.map(({ text }) => text));
    const ajv = Object.fromEntries(Object.keys(ajvs).map((dialect) => [dialect, newAjv(dialect)]));
    cases.forEach((one, i) => judgeCase(one, answers[i], ajv[one.dialect], tally));
  }
  const skipped = [...tally.explained.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `schema-ajv: ${tally.pairs} pairs from seed ${firstSeed}, ${tally.valid} valid, ${tally.costly} schemas too costly`,
  );
  console.log(`schema-ajv: ${skipped} pairs differ for a known reason`);
  for (const [{ name }, count] of tally.explained) console.log(`  ${count} ${name}`);
  assert.equal(tally.failures, 0, "see the cases above");
  assert.ok(skipped <= Math.max(20, tally.pairs / 50), "too many differences, however well explained");
});

// What a draft-07 $ref hides is no matter; and the engine lets pass what has
// but one meaning: repeated names, lists of nothing, anchors with odd letters.
function isHarmless({ dialect, keyword, spot }) {
  const value = spot[keyword];
  if (dialect === "draft-07" && "$ref" in spot && keyword !== "$ref") return true;
  if (keyword === "$anchor" || keyword === "$dynamicAnchor") return typeof value === "string";
  const isNames = (list) => Array.isArray(list) && list.every((name) => typeof name === "string");
  if (keyword === "dependentRequired" || keyword === "dependencies") return Object.values(value ?? {}).every(isNames);
  if (keyword === "required") return isNames(value);
  return Array.isArray(value) && (keyword === "enum" || (/^(prefixI|i)tems$/.test(keyword) && value.length === 0));
}

test("the engine refuses the schemas that ajv refuses", () => {
  const metas = Object.fromEntries(Object.keys(ajvs).map((dialect) => [dialect, newAjv(dialect)]));
  const broken = [];
  for (let i = 0; i < pairs / 4; i++) {
    const r = new Random(firstSeed + i);
    const dialect = r.pick(Object.keys(ajvs));
    const one = { dialect, ...brokenSchema(r, dialect) };
    if (metas[dialect].validateSchema(one.schema) !== true && !isHarmless(one)) broken.push(one);
  }
  const answers = byEngine(broken.map(({ schema }) => ({ schema: JSON.stringify(schema), values: ["null"] })));
  const accepted = broken.filter((_, i) => !String(answers[i][0]).startsWith("error: "));
  console.log(`schema-ajv: ${broken.length} schemas that ajv refuses, ${accepted.length} of them accepted`);
  for (const { keyword, spot } of accepted.slice(0, 10)) console.log(`  ${keyword} in ${JSON.stringify(spot)}`);
  assert.ok(broken.length > pairs / 10, "too few were broken to tell");
  assert.equal(accepted.length, 0, "see the cases above");
});
