// mcp-use: `add` over HTTP (argument: a port).
import { MCPServer } from "mcp-use";
import { z } from "zod";

const server = new MCPServer({ name: "mcp-use", version: "1.0.0" });
server.tool({
  name: "add",
  description: "Add two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
}, async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }));
await server.listen(Number(process.argv[2]));
