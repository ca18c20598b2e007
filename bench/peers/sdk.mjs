// The official SDK: `add` over HTTP (argument: a port) or stdio (none).
import { createServer } from "node:http";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const input = z.object({ a: z.number(), b: z.number() });

function make() {
  const server = new McpServer({ name: "sdk", version: "1.0.0" });
  server.registerTool("add", { description: "Add two numbers.", inputSchema: input },
    async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }));
  return server;
}

if (process.argv[2]) {
  const { toNodeHandler } = await import("@modelcontextprotocol/node");
  createServer(toNodeHandler(createMcpHandler(make))).listen(Number(process.argv[2]), "127.0.0.1");
} else {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  await serveStdio(make);
}
