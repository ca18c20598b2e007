// shrink.mjs - a smaller case that fails the same way

const isObject = (v) => v !== null && typeof v === "object" && !Array.isArray(v);

const isReference = (key) => /^\$(id|ref|dynamicRef|schema)$/.test(key);

// JSON values that are `value` with one thing less, larger cuts first.
function* smaller(value) {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) yield value.toSpliced(i, 1);
    yield* value;
    for (let i = 0; i < value.length; i++) for (const less of smaller(value[i])) yield value.with(i, less);
  } else if (isObject(value)) {
    const keys = Object.keys(value);
    for (const key of keys) {
      const { [key]: _, ...rest } = value;
      yield rest;
    }
    for (const key of keys) if (typeof value[key] === "object" && value[key] !== null) yield value[key];
    for (const key of keys)
      if (!isReference(key)) for (const less of smaller(value[key])) yield { ...value, [key]: less };
  } else if (typeof value === "string") {
    const points = [...value];
    for (let i = 0; i < points.length; i++) yield points.toSpliced(i, 1).join("");
  } else if (typeof value === "number" && value !== 0) {
    if (Math.abs(value) > 1) yield Math.trunc(value / 2);
    if (!Number.isInteger(value)) yield Math.trunc(value);
  }
}

// The smallest { schema, value } found from `start` for which `fails(schema,
// value)` is true, asking at most `most` times. An exception is no failure.
export function shrink(start, fails, most = 600) {
  let best = start;
  let left = most;
  const worse = (schema, value) => {
    try {
      return left-- > 0 && fails(schema, value);
    } catch {
      return false;
    }
  };
  const step = () => {
    for (const value of smaller(best.value)) if (worse(best.schema, value)) return { ...best, value };
    for (const schema of smaller(best.schema)) if (worse(schema, best.value)) return { ...best, schema };
    return null;
  };
  for (let next = step(); next !== null && left > 0; next = step()) best = next;
  return best;
}
