// reference.mjs - a server of the official TypeScript SDK, both eras on one URL
//
// Modern requests go to createMcpHandler(), legacy ones to sessions of their
// own, each with its GET stream.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

const progressed = (ctx, progress, total) =>
  ctx.mcpReq._meta?.progressToken === undefined
    ? undefined
    : ctx.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken: ctx.mcpReq._meta.progressToken, progress, total, message: `step ${progress}` },
      });

function build() {
  const server = new McpServer({ name: "reference", version: "1.0.0" }, { capabilities: { logging: {} } });
  server.registerTool(
    "add",
    {
      description: "Adds two numbers",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b } }),
  );
  server.registerTool("fail", { description: "Fails" }, async () => {
    throw new Error("on purpose");
  });
  server.registerTool(
    "steps",
    { description: "Tells of its progress", inputSchema: z.object({ n: z.number() }) },
    async ({ n }, ctx) => {
      for (let i = 1; i <= n; i++) {
        await progressed(ctx, i, n);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return { content: [{ type: "text", text: "done" }] };
    },
  );
  server.registerTool(
    "region",
    {
      description: "Says in which region it runs",
      inputSchema: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
    },
    async ({ region }) => ({ content: [{ type: "text", text: region }] }),
  );
  server.registerResource("note", "note://one", { mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, text: "a note" }],
  }));
  server.registerPrompt(
    "hello",
    { description: "Greets", argsSchema: z.object({ name: z.string() }) },
    async ({ name }) => ({ messages: [{ role: "user", content: { type: "text", text: `Hello, ${name}` } }] }),
  );
  return server;
}

// The sessions of legacy clients: requests go to the transport of theirs.
function legacySessions() {
  const sessions = new Map();
  return async (req, res, body) => {
    const id = req.headers["mcp-session-id"];
    if (id !== undefined) {
      const known = sessions.get(id);
      if (known) return known.handleRequest(req, res, body);
      res.writeHead(404, { "Content-Type": "application/json" });
      res.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null }));
      return undefined;
    }
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => sessions.set(session, transport),
      onsessionclosed: (session) => sessions.delete(session),
    });
    await build().connect(transport);
    return transport.handleRequest(req, res, body);
  };
}

// { url, port, notify, stop() }; `port` 0: a free one; without `modern` it
// knows sessions only.
export async function startReference({ port = 0, modern = true } = {}) {
  const handler = createMcpHandler(build, { legacy: "reject" });
  const modernHandler = toNodeHandler(handler);
  const legacy = legacySessions();
  const http = createServer(async (req, res) => {
    try {
      if (req.method !== "POST") return await legacy(req, res);
      const chunks = [];
      for await (const chunk of req) chunks.push(chunk);
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const isLegacy = !modern || (await isLegacyRequest(await toWebRequest(req, body), body));
      return await (isLegacy ? legacy : modernHandler)(req, res, body);
    } catch (error) {
      if (!res.headersSent) res.writeHead(500);
      res.end(String(error));
      return undefined;
    }
  });
  await new Promise((resolve) => http.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    port: http.address().port,
    notify: handler.notify,
    stop: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await handler.close();
    },
  };
}
