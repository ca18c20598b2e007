// The official TypeScript client gives up a call, over both transports and in
// each of its modes: the only worker is free for the next one. And it comes back
// for the answer of a call whose stream the server closed.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { binary, sourceDir, startServer } from "./lib/server.mjs";

const app = "tests/e2e/cancel.lua";
const modes = { legacy: "legacy", auto: "auto", pinned: { pin: "2026-07-28" } };

async function connect(mode, transport) {
  const client = new Client({ name: "mcpluad-e2e", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
}

function suite(transport) {
  for (const [name, mode] of Object.entries(modes))
    test(name, async () => {
      const client = await connect(mode, transport());
      const controller = new AbortController();
      const call = client.callTool({ name: "spin", arguments: {} }, { signal: controller.signal });
      setTimeout(() => controller.abort("enough"), 300);
      await assert.rejects(call, /enough/);
      const begun = Date.now();
      const result = await client.callTool({ name: "echo", arguments: { text: "free" } });
      assert.equal(result.content[0].text, "free");
      assert.ok(Date.now() - begun < 10_000, "the worker is free long before call_timeout");
      await client.close();
    });
}

describe("cancelling over HTTP", () => {
  let server;
  before(async () => {
    server = await startServer(app);
  });
  after(() => server?.stop());
  suite(() => new StreamableHTTPClientTransport(new URL(server.url)));
});

describe("cancelling over stdio", () => {
  suite(
    () => new StdioClientTransport({ command: binary, args: ["--stdio", join(sourceDir, app)], stderr: "ignore" }),
  );
});

describe("a stream that the server closes", () => {
  let server;
  before(async () => {
    server = await startServer("tests/conformance/app.lua"); // sse_poll_after = 1
  });
  after(() => server?.stop());
  for (const [name, mode] of Object.entries(modes))
    test(`the answer comes in ${name}`, async () => {
      const client = await connect(mode, new StreamableHTTPClientTransport(new URL(server.url)));
      const result = await client.callTool({ name: "test_reconnection", arguments: {} });
      assert.equal(result.content[0].text, "The client came back");
      await client.close();
    });
});
