// random.mjs - a seeded generator of choices, and JSON text spelled at random

export class Random {
  #state;
  constructor(seed) {
    this.#state = seed >>> 0;
  }
  // In [0, 1): mulberry32.
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  chance(p) {
    return this.next() < p;
  }
  // An integer in [low, high].
  int(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }
  pick(list) {
    return list[this.int(0, list.length - 1)];
  }
  // A value of [[weight, value], ...].
  weighed(list) {
    let left = this.next() * list.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of list) if ((left -= weight) < 0) return value;
    return list.at(-1)[1];
  }
  // Each of `list` with chance p, in order.
  some(list, p) {
    return list.filter(() => this.chance(p));
  }
  shuffled(list) {
    const copy = [...list];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      [copy[i], copy[j]] = [copy[j], copy[i]];
    }
    return copy;
  }
}

const spellings = [
  (digits, exponent) => `${digits}e${exponent}`,
  (digits, exponent) => (digits === "0" ? `0E-${Math.abs(exponent)}` : `${digits}00E${exponent - 2}`),
  (digits, exponent) => `${digits}.0e+${exponent}`,
  (digits, exponent) => `${digits[0]}.${digits.slice(1)}0e${exponent + digits.length - 1}`,
];

// The same decimal number in other words: 1.5 as 15e-1, 150E-2, 1.50e0.
function spellNumber(r, number) {
  const text = JSON.stringify(number);
  const [, sign, whole, fraction = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(text);
  const digits = (whole + fraction).replace(/^0+(?=\d)/, "");
  const spelled = r
    .pick(spellings)(digits, Number(power) - fraction.length)
    .replace("e+-", "e-");
  return sign + spelled;
}

function spellString(r, text) {
  const plain = JSON.stringify(text);
  if (!r.chance(0.1)) return plain;
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}

// JSON text of `value`; one number in ten and one string in ten is written in
// an unusual way that means the same.
export function spell(r, value) {
  if (typeof value === "number") return r.chance(0.1) ? spellNumber(r, value) : JSON.stringify(value);
  if (typeof value === "string") return spellString(r, value);
  if (Array.isArray(value)) return `[${value.map((item) => spell(r, item)).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${spellString(r, key)}:${spell(r, member)}`);
  return `{${members.join(",")}}`;
}
