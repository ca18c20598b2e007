// The official TypeScript client hears of changes: by listen() in the modern
// era, by what it did in the legacy one, over both transports.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { binary, bridgeTo, sourceDir, startServer } from "./lib/server.mjs";

const app = "tests/e2e/listen.lua";
const modern = { auto: "auto", pinned: { pin: "2026-07-28" } };
const late = 5_000;

// A connected client; heard(n) takes the next n changes that come in time.
async function connect(mode, transport) {
  const client = new Client({ name: "mcpluad-e2e", version: "1.0.0" }, { versionNegotiation: { mode } });
  const changes = [];
  for (const name of ["tools/list_changed", "prompts/list_changed", "resources/list_changed", "resources/updated"]) {
    client.setNotificationHandler(`notifications/${name}`, (message) => {
      changes.push(message.params?.uri ?? name);
    });
  }
  const heard = async (n, ms = late) => {
    const end = Date.now() + ms;
    while (changes.length < n && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
    return changes.splice(0, n);
  };
  await client.connect(transport);
  return { client, heard };
}

const tell = (client, list) => client.callTool({ name: "tell", arguments: { list } });
const touch = (client, uri) => client.callTool({ name: "touch", arguments: { uri } });

function suite(transport) {
  for (const [name, mode] of Object.entries(modern)) {
    test(`${name}: listen`, async () => {
      const { client, heard } = await connect(mode, transport());
      const filter = { toolsListChanged: true, resourceSubscriptions: ["test://a"] };
      const subscription = await client.listen(filter);
      assert.deepEqual(subscription.honoredFilter, filter);
      await tell(client, "prompts");
      await touch(client, "test://b");
      await touch(client, "test://a");
      await tell(client, "tools");
      assert.deepEqual(await heard(2), ["test://a", "tools/list_changed"]);
      await subscription.close();
      assert.equal(await subscription.closed, "local");
      await client.close();
    });
  }

  test("legacy: the stream of the session", { timeout: 2 * late }, async () => {
    const { client, heard } = await connect("legacy", transport());
    await client.subscribeResource({ uri: "test://a" });
    // Over HTTP the client opens its stream on its own, some time later.
    let first = [];
    while (first.length === 0) {
      await touch(client, "test://a");
      first = await heard(1, 100);
    }
    assert.deepEqual(first, ["test://a"]);
    await heard(100, 200); // what was touched once too often
    await client.unsubscribeResource({ uri: "test://a" });
    await touch(client, "test://a");
    await tell(client, "prompts");
    assert.deepEqual(await heard(1), ["prompts/list_changed"]);
    await client.close();
  });
}

describe("listening over HTTP", () => {
  let server;
  before(async () => {
    server = await startServer(app);
  });
  after(() => server?.stop());
  suite(() => new StreamableHTTPClientTransport(new URL(server.url)));

  test("the end of the server is graceful", async () => {
    const own = await startServer(app);
    const { client } = await connect("auto", new StreamableHTTPClientTransport(new URL(own.url)));
    const subscription = await client.listen({ toolsListChanged: true });
    await own.stop();
    assert.equal(await subscription.closed, "graceful");
    await client.close();
  });
});

describe("listening over stdio", () => {
  suite(
    () =>
      new StdioClientTransport({ command: binary, args: ["--stdio", join(sourceDir, app)], stderr: "ignore" }),
  );
});

describe("listening through the bridge", () => {
  let server;
  before(async () => {
    server = await startServer(app);
  });
  after(() => server?.stop());
  suite(() => bridgeTo(server.url));

  test("the end of the server is graceful", async () => {
    const own = await startServer(app);
    const { client } = await connect("auto", bridgeTo(own.url));
    const subscription = await client.listen({ toolsListChanged: true });
    await own.stop();
    // over stdio the client knows no other end
    assert.match(await subscription.closed, /graceful|remote/);
    await client.close();
  });
});
