// The inspector's command line does tools, resources, templates and prompts of
// tests/conformance/app.lua, in each of its eras, over HTTP and stdio; it verifies
// the skills of that app and of app-example: entry, front matter, size and digest of
// every file.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { binary, sourceDir, startServer } from "./lib/server.mjs";

const inspector = fileURLToPath(
  new URL("./node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url),
);
const app = "tests/conformance/app.lua";
const names = (list, key = "name") => list.map((item) => item[key]);

// What is asked, by method, and what must be in the result. Those of 2026-07-28
// tell of the server, but it prints lists without.
const requests = [
  {
    method: "tools/list",
    listed: true,
    check: ({ tools }) => assert.ok(names(tools).includes("test_simple_text")),
  },
  {
    method: "tools/call",
    arguments: ["--tool-name", "test_simple_text"],
    check: ({ content }) =>
      assert.deepEqual(content, [{ type: "text", text: "This is a simple text response for testing." }]),
  },
  {
    method: "resources/list",
    listed: true,
    check: ({ resources }) => assert.ok(names(resources, "uri").includes("test://static-text")),
  },
  {
    method: "resources/templates/list",
    listed: true,
    check: ({ resourceTemplates }) =>
      assert.deepEqual(names(resourceTemplates, "uriTemplate"), ["test://template/{id}/data"]),
  },
  {
    method: "resources/read",
    arguments: ["--uri", "test://static-text"],
    check: ({ contents }) => assert.equal(contents[0].uri, "test://static-text"),
  },
  {
    method: "prompts/list",
    listed: true,
    check: ({ prompts }) => assert.ok(names(prompts).includes("test_prompt_with_arguments")),
  },
  {
    method: "prompts/get",
    arguments: ["--prompt-name", "test_prompt_with_arguments", "--prompt-args", "arg1=a", "arg2=b"],
    check: ({ messages }) => assert.match(messages[0].content.text, /arg1='a', arg2='b'/),
  },
];

// Runs it to its end: { code, stdout, stderr }.
function run(arguments_, home) {
  const child = spawn(process.execPath, [inspector, "--cli", ...arguments_], {
    env: { ...process.env, HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8");
    child[name].on("data", (text) => (out[name] += text));
  }
  const late = setTimeout(() => child.kill("SIGKILL"), 60_000);
  return new Promise((resolve) =>
    child.on("close", (code) => {
      clearTimeout(late);
      resolve({ code, ...out });
    }),
  );
}

describe("inspector", { concurrency: 2 }, () => {
  let server;
  let home; // it writes to it
  before(async () => {
    home = mkdtempSync(join(tmpdir(), "mcpluad-inspector-"));
    server = await startServer(app);
  });
  after(async () => {
    rmSync(home, { recursive: true, force: true });
    await server?.stop();
  });
  for (const path of [app, "app-example/app.lua"]) {
    test(`verifies the skills of ${path}`, async () => {
      const arguments_ = [binary, "--stdio", join(sourceDir, path), "--protocol-era", "modern"];
      const { code, stdout, stderr } = await run([...arguments_, "--method", "skills/list", "--verify"], home);
      assert.equal(code, 0, stdout + stderr);
      const reports = stdout.trim().split("\n").map((line) => JSON.parse(line));
      assert.ok(reports.length >= 3, stdout);
      for (const { uri, conformance, frontmatter, files, outcome } of reports) {
        const isDynamic = uri === "skill://reports/daily/SKILL.md";
        assert.equal(outcome, isDynamic ? "unverifiable" : "verified", uri);
        assert.deepEqual(frontmatter, [], uri);
        assert.deepEqual(conformance.map((finding) => finding.code), isDynamic ? ["dynamic-resources"] : [], uri);
        assert.ok(isDynamic || files.length > 0, uri);
        assert.ok(files.every((file) => file.status === "verified"), uri);
      }
    });
  }
  const targets = {
    HTTP: () => [server.url, "--transport", "http"],
    stdio: () => [binary, "--stdio", join(sourceDir, app)],
  };
  for (const [transport, target] of Object.entries(targets)) {
    for (const era of ["legacy", "auto", "modern"]) {
      for (const request of requests) {
        test(`${request.method} in ${era} over ${transport}`, async () => {
          const { code, stdout, stderr } = await run(
            [...target(), "--protocol-era", era, "--format", "json", "--method", request.method]
              .concat(request.arguments ?? []),
            home,
          );
          assert.equal(code, 0, stderr);
          const { result } = JSON.parse(stdout);
          request.check(result);
          const told = Boolean(result._meta?.["io.modelcontextprotocol/serverInfo"]);
          if (!request.listed) assert.equal(told, era !== "legacy");
        });
      }
    }
  }
});
