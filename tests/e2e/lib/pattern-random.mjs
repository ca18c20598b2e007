// pattern-random.mjs - random patterns of ECMA-262 (flag u), and texts for them
//
// A piece is { source, sample }: the text of the pattern, and a function that
// makes a text which it likely matches.

const letters = [..."abcxyzABZ019_ -.,/é\u{1f600}ß\u2028"];
const syntax = new Set("^$\\.*+?()[]{}|/");

const escapes = [
  ["\\d", [..."0379"]],
  ["\\D", [..."a-\u0663"]],
  ["\\w", [..."az_9"]],
  ["\\W", [..." -é"]],
  ["\\s", [..." \t\n\u00a0\ufeff\u2003"]],
  ["\\S", [..."ab\u{1f600}"]],
  ["\\t", ["\t"]],
  ["\\n", ["\n"]],
  ["\\x41", ["A"]],
  ["\\u00e9", ["é"]],
  ["\\u{1F600}", ["\u{1f600}"]],
  ["\\ud83d\\ude00", ["\u{1f600}"]],
  ["\\cJ", ["\n"]],
  ["\\p{L}", [..."aéßλ"]],
  ["\\p{Lu}", [..."AÉΛ"]],
  ["\\P{L}", [..."1 \u{1f600}"]],
  ["\\p{Script=Greek}", [..."λΩ"]],
  ["\\.", ["."]],
  ["\\/", ["/"]],
  ["\\$", ["$"]],
];

const literal = (r) => {
  const letter = r.pick(letters);
  return { source: (syntax.has(letter) ? "\\" : "") + letter, sample: () => letter };
};

const escape = (r) => {
  const [source, texts] = r.pick(escapes);
  return { source, sample: (q) => q.pick(texts) };
};

const ranges = [
  "a-c",
  "A-Z",
  "0-9",
  "x",
  "_",
  "\\-",
  "\\]",
  "\\^",
  ".",
  "é",
  "\u{1f600}",
  "\\u{1f600}-\\u{1f64f}",
  "*",
];

function characterClass(r) {
  const parts = Array.from({ length: r.int(1, 3) }, () => (r.chance(0.3) ? escape(r).source : r.pick(ranges)));
  const source = `[${r.chance(0.25) ? "^" : ""}${parts.join("")}]`;
  const expression = new RegExp(`^${source}$`, "u");
  const texts = [...letters, "B", "5", "-", "]", "^", "*", "\t", "λ"].filter((text) => expression.test(text));
  return { source, sample: (q) => (texts.length > 0 ? q.pick(texts) : "") };
}

function repeated(r, piece) {
  const [suffix, low, high] = r.pick([
    ["*", 0, 3],
    ["+", 1, 3],
    ["?", 0, 1],
    ["{2}", 2, 2],
    ["{1,}", 1, 3],
    ["{0,2}", 0, 2],
    ["*?", 0, 2],
  ]);
  const sample = (q) => Array.from({ length: q.int(low, high) }, () => piece.sample(q)).join("");
  return { source: piece.source + suffix, sample };
}

const group = (r, depth) => {
  const inner = alternatives(r, depth - 1);
  return { source: `${r.pick(["(", "(?:", "(?:"])}${inner.source})`, sample: inner.sample };
};

const look = (r, depth) => ({
  source: `${r.pick(["(?=", "(?!", "(?<=", "(?<!"])}${depth > 0 ? characterClass(r).source : literal(r).source})`,
  sample: () => "",
});

function term(r, depth) {
  const make = r.weighed([
    [5, literal],
    [3, escape],
    [3, characterClass],
    [1, () => ({ source: ".", sample: (q) => q.pick(letters) })],
    [depth > 0 ? 2 : 0, group],
    [0.3, look],
    [0.2, () => ({ source: r.pick(["\\b", "\\B"]), sample: () => "" })],
  ]);
  const piece = make(r, depth);
  const repeatable = !/^(\(\?<?[=!]|\\b|\\B)/.test(piece.source);
  return repeatable && r.chance(0.35) ? repeated(r, piece) : piece;
}

function sequence(r, depth) {
  const terms = Array.from({ length: r.int(1, 3) }, () => term(r, depth));
  return {
    source: terms.map((piece) => piece.source).join(""),
    sample: (q) => terms.map((piece) => piece.sample(q)).join(""),
  };
}

function alternatives(r, depth) {
  const list = Array.from({ length: r.chance(0.25) ? 2 : 1 }, () => sequence(r, depth));
  return { source: list.map((piece) => piece.source).join("|"), sample: (q) => q.pick(list).sample(q) };
}

// The sample of a pattern is found again by its source.
const samplers = new Map();

// The source of a random pattern.
export function randomPattern(r) {
  const body = alternatives(r, 1);
  const [head, tail] = r.pick([
    ["", ""],
    ["^", ""],
    ["", "$"],
    ["^", "$"],
    ["^(?:", ")$"],
  ]);
  const source = head + body.source + tail;
  samplers.set(source, body.sample);
  return source;
}

// A text that a pattern of randomPattern() likely matches.
export function textFor(r, source) {
  return samplers.get(source)?.(r) ?? source.replace(/[^a-z0-9]/gu, "");
}

export function forgetPatterns() {
  samplers.clear();
}
