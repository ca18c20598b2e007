// The official conformance suite judges the bridge as a client: what it sends
// over HTTP for an official client on its stdin.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const suite = path("./node_modules/@modelcontextprotocol/conformance/dist/index.js");
const command = `${process.execPath} ${path("./lib/bridge-client.mjs")}`;

// scenario: { revision: how many checks succeed at least }
const scenarios = {
  initialize: { "2025-06-18": 1, "2025-11-25": 1 },
  tools_call: { "2025-06-18": 2, "2025-11-25": 2, "2026-07-28": 2 },
  "sse-retry": { "2025-11-25": 3 },
  "request-metadata": { "2026-07-28": 8 },
  "http-standard-headers": { "2026-07-28": 9 },
  "http-custom-headers": { "2026-07-28": 18 },
  "http-invalid-tool-headers": { "2026-07-28": 12 },
};

// A modern client sends no handshake whose headers could be judged.
const isHandshake = (check) => /initialize/.test(check.description);

async function run(scenario, revision, out) {
  const folder = mkdtempSync(join(out, `${scenario}-`));
  const child = spawn(
    process.execPath,
    [suite, "client", "--scenario", scenario, "--spec-version", revision, "--command", command, "-o", folder],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, BRIDGE_PROTOCOL: revision } },
  );
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

describe("conformance of the bridge", { concurrency: 2 }, () => {
  let out;
  before(() => {
    out = mkdtempSync(join(tmpdir(), "mcpluad-bridge-"));
  });
  after(() => rmSync(out, { recursive: true, force: true }));

  for (const [scenario, revisions] of Object.entries(scenarios))
    for (const [revision, count] of Object.entries(revisions))
      test(`${scenario} in ${revision}`, { timeout: 120_000 }, async () => {
        const checks = await run(scenario, revision, out);
        const bad = checks.filter(
          (check) =>
            !["SUCCESS", "INFO"].includes(check.status) && !(check.status === "SKIPPED" && isHandshake(check)),
        );
        assert.deepEqual(
          bad.map((check) => `${check.status} ${check.id}: ${check.errorMessage ?? check.description}`),
          [],
        );
        const succeeded = checks.filter((check) => check.status === "SUCCESS").length;
        assert.ok(succeeded >= count, `${succeeded} checks of ${count}`);
      });
});
