// The official conformance suite against tests/conformance/app.lua: the
// scenarios and wires of conformance-scenarios.json, each judged strictly.
//
// That file maps a scenario to its wires: a list when every check counts, an
// object { wire: [check, ...] } when only those do. A check passes as SUCCESS
// or INFO; FAILURE, WARNING and SKIPPED do not.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startServer } from "./lib/server.mjs";

const suite = fileURLToPath(new URL("./node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url));
const scenarios = JSON.parse(readFileSync(new URL("./conformance-scenarios.json", import.meta.url), "utf8"));

// Runs one scenario at one wire; the array of its checks. Scenarios of extensions
// belong to no version of the specification and run by force.
async function runScenario(url, scenario, wire, out) {
  const folder = mkdtempSync(join(out, `${scenario}-`));
  const arguments_ = ["server", "--url", url, "--scenario", scenario, "--spec-version", wire, "--force", "-o", folder];
  const child = spawn(process.execPath, [suite, ...arguments_], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => (output += text));
  }
  await new Promise((resolve) => child.on("close", resolve));
  const runs = readdirSync(folder);
  assert.equal(runs.length, 1, `the suite ran nothing:\n${output}`);
  return JSON.parse(readFileSync(join(folder, runs[0], "checks.json"), "utf8"));
}

const describeCheck = (check) => `${check.status} ${check.id}: ${check.errorMessage ?? check.description}`;

function judge(checks, only) {
  const judged = only ? checks.filter((check) => only.includes(check.id)) : checks;
  assert.ok(judged.length > 0, "the suite judged nothing");
  const missing = (only ?? []).filter((id) => !judged.some((check) => check.id === id));
  assert.deepEqual(missing, [], "checks that the suite did not make");
  const bad = judged.filter((check) => !["SUCCESS", "INFO"].includes(check.status));
  assert.equal(bad.length, 0, bad.map(describeCheck).join("\n"));
  assert.ok(
    judged.some((check) => check.status === "SUCCESS"),
    "no check succeeded",
  );
}

describe("conformance", { concurrency: 2 }, () => {
  let server;
  let out;
  before(async () => {
    out = mkdtempSync(join(tmpdir(), "mcpluad-conformance-"));
    server = await startServer("tests/conformance/app.lua");
  });
  after(async () => {
    rmSync(out, { recursive: true, force: true });
    await server?.stop();
  });
  for (const [scenario, wires] of Object.entries(scenarios)) {
    for (const wire of Array.isArray(wires) ? wires : Object.keys(wires)) {
      test(`${scenario} at ${wire}`, async () => {
        const checks = await runScenario(server.url, scenario, wire, out);
        judge(checks, Array.isArray(wires) ? null : wires[wire]);
      });
    }
  }
});
