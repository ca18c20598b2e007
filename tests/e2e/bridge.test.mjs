// `mcpluad bridge` between the official client and a server of the official
// TypeScript SDK: the same suite straight over HTTP and through the bridge, in
// each negotiation mode. (Against our own server the other files do so.)

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startReference } from "./lib/reference.mjs";
import { bridgeTo } from "./lib/server.mjs";

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

const callTool = (client, name, args, options) => client.callTool({ name, arguments: args ?? {} }, options);
const textOf = (result) => result.content[0].text;

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
        assert.equal(client.getServerVersion().name, "reference");
      });
      test("lists tools, resources and prompts", async () => {
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map((tool) => tool.name), ["add", "fail", "steps", "region"]);
        const { resources } = await client.listResources();
        assert.deepEqual(resources.map((resource) => resource.uri), ["note://one"]);
        const { prompts } = await client.listPrompts();
        assert.deepEqual(prompts.map((prompt) => prompt.name), ["hello"]);
      });
      test("calls a tool", async () => {
        const result = await callTool(client, "add", { a: 2, b: 3.5 });
        assert.deepEqual(result.structuredContent, { sum: 5.5 });
      });
      test("calls a tool whose argument is a header", async () => {
        assert.equal(textOf(await callTool(client, "region", { region: "Zürich" })), "Zürich");
      });
      test("a tool that fails", async () => {
        const result = await callTool(client, "fail");
        assert.equal(result.isError, true);
        assert.match(textOf(result), /on purpose/);
      });
      test("hears of progress", async () => {
        const steps = [];
        const result = await callTool(client, "steps", { n: 4 }, { onprogress: (step) => steps.push(step.progress) });
        assert.equal(textOf(result), "done");
        assert.deepEqual(steps, [1, 2, 3, 4].slice(0, steps.length));
        assert.ok(steps.length >= 3, `${steps}`);
      });
      test("reads a resource and gets a prompt", async () => {
        const { contents } = await client.readResource({ uri: "note://one" });
        assert.equal(contents[0].text, "a note");
        const { messages } = await client.getPrompt({ name: "hello", arguments: { name: "Ada" } });
        assert.equal(messages[0].content.text, "Hello, Ada");
      });
      test("an unknown tool is an error", () =>
        assert.rejects(callTool(client, "no_such_tool"), { code: -32602 }));
      test("a call that is given up", async () => {
        const controller = new AbortController();
        const call = callTool(client, "steps", { n: 500 }, { signal: controller.signal });
        setTimeout(() => controller.abort("enough"), 50);
        await assert.rejects(call);
        assert.equal(textOf(await callTool(client, "steps", { n: 1 })), "done");
      });
      test("a hundred calls at once", async () => {
        const results = await Promise.all(
          Array.from({ length: 100 }, (_, i) => callTool(client, "add", { a: i, b: 1 })),
        );
        assert.deepEqual(results.map((result) => result.structuredContent.sum), Array.from({ length: 100 }, (_, i) => i + 1));
      });
    });
  }
}

for (const [how, transport] of Object.entries({
  "straight over HTTP": (url) => new StreamableHTTPClientTransport(new URL(url)),
  "through the bridge": (url) => bridgeTo(url),
})) {
  describe(`a reference server, ${how}`, () => {
    let server;
    before(async () => {
      server = await startReference();
    });
    after(() => server?.stop());
    suite(() => transport(server.url));

    test("listen", async () => {
      const client = await connect("auto", transport(server.url));
      const heard = new Promise((resolve) => client.setNotificationHandler("notifications/tools/list_changed", resolve));
      const subscription = await client.listen({ toolsListChanged: true });
      server.notify.toolsChanged();
      await heard;
      await subscription.close();
      await client.close();
    });
  });

  describe(`a server of sessions only, ${how}`, () => {
    let server;
    before(async () => {
      server = await startReference({ modern: false });
    });
    after(() => server?.stop());

    for (const mode of ["legacy", "auto"])
      test(`${mode} ends up in 2025-11-25`, async () => {
        const client = await connect(mode, transport(server.url));
        assert.equal(client.getNegotiatedProtocolVersion(), "2025-11-25");
        assert.deepEqual((await callTool(client, "add", { a: 1, b: 2 })).structuredContent, { sum: 3 });
        await client.close();
      });
    test("pinned to 2026-07-28 is an error", () =>
      assert.rejects(connect({ pin: "2026-07-28" }, transport(server.url))));
  });
}

describe("the remote restarts", () => {
  for (const [name, { mode }] of Object.entries(modes))
    test(name, async () => {
      let server = await startReference();
      const { port, url } = server;
      const client = await connect(mode, bridgeTo(url));
      assert.deepEqual((await callTool(client, "add", { a: 1, b: 2 })).structuredContent, { sum: 3 });
      const lost = callTool(client, "steps", { n: 500 });
      setTimeout(() => server.stop(), 100);
      await assert.rejects(lost, { code: -32001 });
      await assert.rejects(callTool(client, "add", { a: 1, b: 2 }), /Could not connect/);
      server = await startReference({ port });
      assert.deepEqual((await callTool(client, "add", { a: 2, b: 2 })).structuredContent, { sum: 4 });
      await client.close();
      await server.stop();
    });
});
