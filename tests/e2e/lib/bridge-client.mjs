// bridge-client.mjs URL - what the conformance suite runs as the client: the
// official client over stdio, so every HTTP request is the bridge's
//
// It speaks revision BRIDGE_PROTOCOL and uses all that the server of the scenario
// offers. For some scenarios the suite says by MCP_CONFORMANCE_CONTEXT which
// tools to call how.

import { Client } from "@modelcontextprotocol/client";
import { bridgeTo } from "./server.mjs";

const version = process.env.BRIDGE_PROTOCOL;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const mode = version === "2026-07-28" ? { pin: version } : "legacy";

const example = { string: "x", number: 1, integer: 1, boolean: true, array: [], object: {} };

function argumentsFor(tool) {
  const result = {};
  for (const [name, schema] of Object.entries(tool.inputSchema?.properties ?? {}))
    result[name] = example[schema.type] ?? null;
  return result;
}

// What a scenario does not offer is no failure of the client.
async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    console.error(String(error));
    return undefined;
  }
}

const client = new Client(
  { name: "mcpluad-bridge-e2e", version: "1.0.0" },
  { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } },
);
await client.connect(bridgeTo(process.argv.at(-1)));
const listed = (await attempt(() => client.listTools()))?.tools ?? [];
const calls = context.toolCalls ?? listed.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool) }));
for (const call of calls) await attempt(() => client.callTool(call));
const resources = (await attempt(() => client.listResources()))?.resources ?? [];
for (const { uri } of resources) await attempt(() => client.readResource({ uri }));
const prompts = (await attempt(() => client.listPrompts()))?.prompts ?? [];
for (const { name } of prompts) await attempt(() => client.getPrompt({ name }));
await client.close();
