// The official TypeScript client answers the questions of the conformance app
// over both transports, in each of its three negotiation modes: as requests of
// the server in 2025-11-25, round by round in 2026-07-28.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { binary, bridgeTo, sourceDir, startServer } from "./lib/server.mjs";

const app = "tests/conformance/app.lua";
const modes = { legacy: "legacy", auto: "auto", pinned: { pin: "2026-07-28" } };

// A client whose user is called Ada, or declines everything.
async function connect(mode, transport, asked) {
  const client = new Client(
    { name: "mcpluad-e2e", version: "1.0.0" },
    {
      versionNegotiation: { mode },
      capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
    },
  );
  client.setRequestHandler("elicitation/create", async (request) => {
    asked.push(request.params);
    if (asked.declines) return { action: "decline" };
    const content = {};
    for (const [name, property] of Object.entries(request.params.requestedSchema.properties)) {
      if (property.default !== undefined) continue; // ours to fill in
      content[name] = property.type === "boolean" ? true : "Ada";
    }
    return { action: "accept", content };
  });
  client.setRequestHandler("sampling/createMessage", async (request) => ({
    role: "assistant",
    model: "none",
    content: { type: "text", text: `heard: ${request.params.messages[0].content.text}` },
  }));
  client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: "file:///a" }, { uri: "file:///b" }] }));
  await client.connect(transport);
  return client;
}

const calls = [
  ["test_elicitation", { message: "Who?" }, "User response: accept"],
  ["test_elicitation_sep1034_defaults", {}, "User response: accept"],
  ["test_sampling", { prompt: "Hi" }, "LLM response: heard: Hi"],
  ["test_input_required_result_elicitation", {}, "Hello, Ada!"],
  ["test_input_required_result_list_roots", {}, "The client has 2 roots"],
  ["test_input_required_result_request_state", {}, "state-ok"],
  ["test_input_required_result_multiple_inputs", {}, "Hello, Ada: heard: Write a greeting (2 roots)"],
  ["test_input_required_result_multi_round", {}, "Done: accept, accept"],
];

function suite(transport) {
  for (const [name, mode] of Object.entries(modes)) {
    describe(name, () => {
      const asked = [];
      let client;
      before(async () => {
        client = await connect(mode, transport(), asked);
      });
      after(() => client?.close());

      for (const [tool, args, text] of calls)
        test(tool, async () => {
          const result = await client.callTool({ name: tool, arguments: args });
          assert.ok(!result.isError, JSON.stringify(result));
          assert.equal(result.content[0].text, text);
        });
      test("the user may decline", async () => {
        asked.declines = true;
        const result = await client.callTool({ name: "test_elicitation", arguments: { message: "Who?" } });
        asked.declines = false;
        assert.equal(result.content[0].text, "User response: decline");
        assert.equal(asked.at(-1).message, "Who?");
      });
      test("a prompt asks", async () => {
        const { messages } = await client.getPrompt({ name: "test_input_required_result_prompt" });
        assert.equal(messages[0].content.text, "Context: Ada");
      });
    });
  }
}

describe("questions over HTTP", () => {
  let server;
  before(async () => {
    server = await startServer(app);
  });
  after(() => server?.stop());
  suite(() => new StreamableHTTPClientTransport(new URL(server.url)));
});

describe("questions over stdio", () => {
  suite(
    () =>
      new StdioClientTransport({
        command: binary,
        args: ["--stdio", join(sourceDir, app)],
        stderr: "ignore",
      }),
  );
});

describe("questions through the bridge", () => {
  let server;
  before(async () => {
    server = await startServer(app);
  });
  after(() => server?.stop());
  suite(() => bridgeTo(server.url));
});
