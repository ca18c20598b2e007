// The official TypeScript client lists and calls app-example over both
// transports and through the bridge, in each of its three negotiation modes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { binary, bridgeTo, sourceDir, startServer } from "./lib/server.mjs";

const app = "app-example/app.lua";

// At least one entry per tool of the example, in its order, so that a new tool
// needs one too: { tool, label?, arguments?, error? (isError) } and what the
// answer must be: text, matches (of the text), structured, types (of the
// blocks), progress (the messages that come before it).
const calls = JSON.parse(readFileSync(new URL("./example-calls.json", import.meta.url), "utf8"));

const modes = {
  legacy: { mode: "legacy", version: "2025-11-25" },
  auto: { mode: "auto", version: "2026-07-28" },
  pinned: { mode: { pin: "2026-07-28" }, version: "2026-07-28" },
};

async function connect(mode, transport) {
  const client = new Client({ name: "mcpluad-e2e", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
}

// The text of a result: its text blocks, one a line.
const textOf = (result) =>
  result.content
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("\n");

async function listEveryTool(client) {
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    [...new Set(calls.map((call) => call.tool))],
    "the example's tools in declaration order are those of example-calls.json",
  );
  for (const tool of tools) {
    assert.ok(tool.description, `${tool.name} has a description`);
    assert.equal(tool.inputSchema.type, "object");
  }
}

// The client hands progress on a moment later, and no more once the answer is
// there: when both came in one read, the last message is lost in the client.
function checkProgress(seen, sent) {
  assert.deepEqual(seen, sent.slice(0, seen.length));
  assert.ok(seen.length >= sent.length - 1, `${seen.length} of ${sent.length} progress messages`);
}

async function callOne(client, call) {
  const progress = [];
  const options = call.progress ? { onprogress: (step) => progress.push(step.message) } : {};
  const result = await client.callTool({ name: call.tool, arguments: call.arguments }, options);
  assert.equal(Boolean(result.isError), Boolean(call.error), textOf(result));
  if (call.text !== undefined) assert.equal(textOf(result), call.text);
  if (call.matches !== undefined) assert.match(textOf(result), new RegExp(call.matches));
  if (call.structured !== undefined) assert.deepEqual(result.structuredContent, call.structured);
  if (call.progress !== undefined) checkProgress(progress, call.progress);
  if (call.types !== undefined) assert.deepEqual(result.content.map((block) => block.type), call.types);
}

function suite(transport) {
  for (const [name, { mode, version }] of Object.entries(modes)) {
    describe(name, () => {
      let client;
      before(async () => {
        client = await connect(mode, transport());
      });
      after(() => client?.close());

      test("negotiates its revision and sees who serves", () => {
        assert.equal(client.getNegotiatedProtocolVersion(), version);
        assert.ok(client.getServerVersion()?.name);
      });
      test("lists every tool", () => listEveryTool(client));
      for (const call of calls) {
        const label = call.label ?? JSON.stringify(call.arguments ?? {});
        test(`calls ${call.tool} ${label}`, () => callOne(client, call));
      }
      test("an unknown tool is a protocol error", async () => {
        await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), { code: -32602 });
      });
    });
  }
}

describe("over HTTP", () => {
  let server;
  before(async () => {
    server = await startServer(app);
  });
  after(() => server?.stop());
  suite(() => new StreamableHTTPClientTransport(new URL(server.url)));
});

describe("over stdio", () => {
  suite(
    () =>
      new StdioClientTransport({
        command: binary,
        args: ["--stdio", join(sourceDir, app)],
        stderr: "ignore",
      }),
  );
});

describe("through the bridge", () => {
  let server;
  before(async () => {
    server = await startServer(app);
  });
  after(() => server?.stop());
  suite(() => bridgeTo(server.url));
});
