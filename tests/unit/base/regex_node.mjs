// regex_node.mjs COUNT SEED - random patterns and texts with node's verdicts
//
// Prints one line a pair, as JSON: [pattern, text, verdict]; the verdict is
// true, false, or null when `new RegExp(pattern, "u")` refuses the pattern.
// Used by regex_node_test.c, which compares our verdicts.
const [count, seed] = process.argv.slice(2).map(Number);

let state = seed >>> 0 || 1;
function random(n) { // xorshift32, below n
  state ^= state << 13; state >>>= 0;
  state ^= state >>> 17;
  state ^= state << 5; state >>>= 0;
  return state % n;
}
const pick = (list) => list[random(list.length)];
const some = (n, make) => Array.from({ length: random(n + 1) }, make).join("");

const CHARS = ["a", "b", "B", "1", "_", " ", "-", "é", "€", "😀", "\n", "\r", "\u2028",
  "\u00a0", "\ufeff", "\u180e", "\0", "$", ".", "/", "]", "{", "}", "\u0967", "Ω"];
const ESCAPES = ["\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\n", "\\t", "\\cJ", "\\0",
  "\\x61", "\\u0061", "\\u{1F600}", "\\ud83d\\ude00", "\\ud83d", "\\.", "\\$", "\\/", "\\]",
  "\\{", "\\p{L}", "\\P{Lu}", "\\p{Script=Greek}", "\\p{Nd}", "\\p{ASCII}", "\\-", "\\a",
  "\\_", "\\1", "\\2", "\\k<n>", "\\b", "\\B", "\\u{110000}", "\\c1", "\\p{x}"];
const SIMPLE = ["a", "b", "1", " ", "é", "😀", ".", "\\d", "\\w", "\\s", "\\S", "\\W", "_"];

function classes() {
  const item = () => pick([
    () => pick(CHARS), () => pick(["a", "b", "1", "é"]), () => pick(ESCAPES), () => "a-c", () => "0-9",
    () => `${pick(CHARS)}-${pick(CHARS)}`])();
  return `[${pick(["", "^"])}${some(3, item)}]`;
}
function atom(depth) {
  return pick([
    () => pick(SIMPLE), () => pick(SIMPLE), () => pick(SIMPLE), () => pick(CHARS),
    () => pick(ESCAPES), classes, classes,
    () => depth > 0 ? `(${alternatives(depth - 1)})` : "a",
    () => depth > 0 ? `(?:${alternatives(depth - 1)})` : "b",
    () => depth > 0 ? `(?<n>${alternatives(depth - 1)})` : "1",
    () => depth > 0 ? `${pick(["(?=", "(?!"])}${alternatives(depth - 1)})` : "",
    () => pick(["^", "$", "\\b", "\\B"]),
    () => `${pick(["(?<=", "(?<!"])}${pick(SIMPLE)})`])();
}
const repeat = () => pick(["", "", "", "*", "+", "?", "*?", "+?", "{2}", "{1,2}", "{0,}", "{2,1}", "**"]);
const sequence = (depth) => some(3, () => atom(depth) + repeat());
const alternatives = (depth) =>
  random(3) ? sequence(depth) : `${sequence(depth)}|${sequence(depth)}`;

for (let left = count; left > 0;) {
  const pattern = alternatives(2);
  let re = null;
  try { re = new RegExp(pattern, "u"); } catch { if (random(4)) continue; }
  // long texts take our guarded form; node has no limit, so repeats are few
  const long = (pattern.match(/[*+{]/g) ?? []).length < 3;
  for (let n = re ? Math.min(left, 6) : 1; n > 0; n--) {
    const text = some(long && !random(4) ? 80 : 5, () => pick(CHARS));
    const at = re?.exec(text)?.index;
    // V8 also starts in the middle of a surrogate pair; the standard does not
    if (at > 0 && /^[\udc00-\udfff]/.test(text.slice(at))) continue;
    console.log(JSON.stringify([pattern, text, re && at !== undefined]));
    left--;
  }
}
