// fastmcp: `add` over HTTP without sessions (argument: a port) or stdio (none).
import { FastMCP } from "fastmcp";
import { z } from "zod";

const server = new FastMCP({ name: "fastmcp", version: "1.0.0" });
server.addTool({
  name: "add",
  description: "Add two numbers.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => String(a + b),
});
await server.start(process.argv[2]
  ? { transportType: "httpStream",
      httpStream: { port: Number(process.argv[2]), host: "127.0.0.1", stateless: true, enableJsonResponse: true } }
  : { transportType: "stdio" });
