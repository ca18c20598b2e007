// server.mjs - start mcpluad for a test and judge how it ends

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export const sourceDir = join(dirname(fileURLToPath(import.meta.url)), "../../..");
export const binary = process.env.MCPLUAD_BIN ?? join(sourceDir, "build/release/mcpluad");

const startMs = 20_000;
const stopMs = 15_000;
const banner = /http:\/\/[^\s/]+:\d+\/[\w/.-]*/;

// Serves `app` (a path from the repository's root) on a free port. Resolves
// when the banner is on stderr: { url, stderr(), stop() }. stop() sends SIGTERM
// and rejects unless the process then ends with 0 within 15 s (5 are promised, at rest).
export function startServer(app, options = []) {
  const child = spawn(binary, ["--port", "0", ...options, join(sourceDir, app)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  const ended = new Promise((resolve) => child.on("exit", (code, signal) => resolve({ code, signal })));
  return new Promise((resolve, reject) => {
    const fail = (why) => {
      child.kill("SIGKILL");
      reject(new Error(`${binary} ${why}; stderr:\n${stderr}`));
    };
    const late = setTimeout(() => fail(`printed no URL in ${startMs} ms`), startMs);
    child.on("error", (error) => {
      clearTimeout(late);
      fail(`could not start: ${error.message}`);
    });
    ended.then(({ code }) => {
      clearTimeout(late);
      fail(`ended with ${code}`);
    });
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text) => {
      stderr += text;
      const found = stderr.includes("\n") && banner.exec(stderr);
      if (!found) return;
      clearTimeout(late);
      resolve({ url: found[0], stderr: () => stderr, stop: () => stop(child, ended, () => stderr) });
    });
  });
}

// A transport for the official client: `mcpluad bridge` to `url`.
export function bridgeTo(url, options = []) {
  return new StdioClientTransport({ command: binary, args: ["bridge", ...options, url], stderr: "ignore" });
}

async function stop(child, ended, stderr) {
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), stopMs);
  const { code, signal } = await ended;
  clearTimeout(late);
  if (code !== 0) throw new Error(`ended with ${code ?? signal} after SIGTERM; stderr:\n${stderr()}`);
}
