// Tools whose output is a scalar, an array or an object: the official client
// lists them, and accepts their results, at every revision.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startServer } from "./lib/server.mjs";

const values = { number: 1.5, text: "a", truth: true, list: [1, 2], empty: [], object: { a: 1 } };

const modes = {
  "2025-03-26": { supportedProtocolVersions: ["2025-03-26"] },
  "2025-06-18": { supportedProtocolVersions: ["2025-06-18"] },
  "2025-11-25": { supportedProtocolVersions: ["2025-11-25"] },
  "2026-07-28": { versionNegotiation: { mode: { pin: "2026-07-28" } } },
};

describe("output schemas in the official client", () => {
  let server;
  before(async () => {
    server = await startServer("tests/e2e/output.lua");
  });
  after(() => server?.stop());

  for (const [version, options] of Object.entries(modes)) {
    test(version, async () => {
      const client = new Client({ name: "mcpluad-e2e", version: "1.0.0" }, options);
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
      assert.equal(client.getNegotiatedProtocolVersion(), version);
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map((tool) => tool.name), Object.keys(values));
      for (const [name, value] of Object.entries(values)) {
        const result = await client.callTool({ name, arguments: {} });
        assert.ok(!result.isError, name);
        if (version === "2025-03-26") continue; // knows no structured content
        assert.notEqual(result.structuredContent, undefined, name);
        const got = version === "2026-07-28" || name === "object" ? result.structuredContent : Object.values(result.structuredContent)[0];
        assert.deepEqual(got, value, name);
      }
      await client.close();
    });
  }
});
