// The official TypeScript client on resources, templates, prompts and
// completion of tests/conformance/app.lua, over both transports, in each of its
// three negotiation modes.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { binary, bridgeTo, sourceDir, startServer } from "./lib/server.mjs";

const app = "tests/conformance/app.lua";

const modes = { legacy: "legacy", auto: "auto", pinned: { pin: "2026-07-28" } };

const names = (items) => items.map((item) => item.name);

// [what, question, values]
const completions = [
  ["a prompt's argument", { ref: { type: "ref/prompt", name: "test_prompt_with_arguments" }, argument: { name: "arg1", value: "TEST" } }, ["test", "testing"]],
  ["parts of values", { ref: { type: "ref/prompt", name: "test_prompt_with_arguments" }, argument: { name: "arg1", value: "the" } }, ["other"]],
  ["an argument without values", { ref: { type: "ref/prompt", name: "test_prompt_with_arguments" }, argument: { name: "arg2", value: "x" }, context: { arguments: { arg1: "test" } } }, []],
  ["a template's variable", { ref: { type: "ref/resource", uri: "test://template/{id}/data" }, argument: { name: "id", value: "4" } }, ["456"]],
];

function resources(connected) {
  test("lists resources and templates", async () => {
    const { resources } = await connected().listResources();
    const ofSkills = ({ uri }) => uri.startsWith("skill://");
    assert.deepEqual(names(resources.filter((resource) => !ofSkills(resource))), ["static-text", "static-binary", "watched-resource"]);
    assert.deepEqual(names(resources.filter(ofSkills)), ["refunds", "examples/email.md", "git-workflow", "references/branches.md"]);
    const { resourceTemplates } = await connected().listResourceTemplates();
    assert.deepEqual(
      resourceTemplates.map((template) => template.uriTemplate),
      ["test://template/{id}/data"],
    );
  });
  test("reads a text", async () => {
    const { contents } = await connected().readResource({ uri: "test://static-text" });
    const text = "This is the content of the static text resource.";
    assert.deepEqual(contents, [{ uri: "test://static-text", mimeType: "text/plain", text }]);
  });
  test("reads bytes", async () => {
    const { contents } = await connected().readResource({ uri: "test://static-binary" });
    assert.equal(contents[0].mimeType, "image/png");
    assert.deepEqual([...Buffer.from(contents[0].blob, "base64").subarray(1, 4)], [...Buffer.from("PNG")]);
  });
  test("reads the files of skills", async () => {
    const { contents } = await connected().readResource({ uri: "skill://git-workflow/SKILL.md" });
    assert.equal(contents[0].mimeType, "text/markdown");
    assert.match(contents[0].text, /^---\nname: git-workflow\n/);
    const made = await connected().readResource({ uri: "skill://reports/daily/SKILL.md" });
    assert.match(made.contents[0].text, /^---\nname: daily\n/);
    await assert.rejects(connected().readResource({ uri: "skill://git-workflow/../app.lua" }), { code: -32602 });
  });
  test("reads what a handler gives, by a template too", async () => {
    const watched = await connected().readResource({ uri: "test://watched-resource" });
    assert.equal(watched.contents[0].text, "Watched resource content");
    const uri = "test://template/a%20b/data";
    const { contents } = await connected().readResource({ uri });
    assert.equal(contents[0].uri, uri);
    assert.equal(JSON.parse(contents[0].text).id, "a b");
  });
  test("a missing resource is an error", async () => {
    // The client gives the -32002 of the 2025 revisions on as what it is now.
    await assert.rejects(connected().readResource({ uri: "test://none" }), { code: -32602, message: /test:..none/ });
  });
  test("a value that would leave its folder is refused", async () => {
    await assert.rejects(connected().readResource({ uri: "test://template/..%2F..%2Fx/data" }), { code: -32602 });
  });
}

function prompts(connected) {
  test("lists prompts", async () => {
    const { prompts } = await connected().listPrompts();
    assert.ok(names(prompts).includes("test_prompt_with_arguments"));
    const { arguments: wanted } = prompts.find((prompt) => prompt.name === "test_prompt_with_arguments");
    assert.deepEqual(
      wanted.map(({ name, required }) => [name, required]),
      [
        ["arg1", true],
        ["arg2", true],
      ],
    );
  });
  test("gets a prompt", async () => {
    const { messages } = await connected().getPrompt({ name: "test_simple_prompt" });
    const content = { type: "text", text: "This is a simple prompt for testing." };
    assert.deepEqual(messages, [{ role: "user", content }]);
  });
  test("gets a prompt with arguments", async () => {
    const { messages } = await connected().getPrompt({
      name: "test_prompt_with_arguments",
      arguments: { arg1: "one", arg2: "two" },
    });
    assert.equal(messages[0].content.text, "Prompt with arguments: arg1='one', arg2='two'");
  });
  test("gets images and resources", async () => {
    const image = await connected().getPrompt({ name: "test_prompt_with_image" });
    assert.equal(image.messages[0].content.type, "image");
    const embedded = await connected().getPrompt({
      name: "test_prompt_with_embedded_resource",
      arguments: { resourceUri: "test://x" },
    });
    assert.equal(embedded.messages[0].content.resource.uri, "test://x");
  });
  test("missing arguments are an error that names them", async () => {
    await assert.rejects(connected().getPrompt({ name: "test_prompt_with_arguments", arguments: { arg1: "one" } }), {
      code: -32602,
      message: /"arg2"/,
    });
  });
}

function completion(connected) {
  for (const [what, question, values] of completions)
    test(`completes ${what}`, async () => {
      const { completion } = await connected().complete(question);
      assert.deepEqual(completion, { values, total: values.length, hasMore: false });
    });
}

function suite(transport) {
  for (const [name, mode] of Object.entries(modes)) {
    describe(name, () => {
      let client;
      before(async () => {
        client = new Client({ name: "mcpluad-e2e", version: "1.0.0" }, { versionNegotiation: { mode } });
        await client.connect(transport());
      });
      after(() => client?.close());
      const connected = () => client;
      resources(connected);
      prompts(connected);
      completion(connected);
    });
  }
}

describe("over HTTP", () => {
  let server;
  before(async () => {
    server = await startServer(app);
  });
  after(() => server?.stop());
  suite(() => new StreamableHTTPClientTransport(new URL(server.url)));
});

describe("over stdio", () => {
  suite(
    () =>
      new StdioClientTransport({
        command: binary,
        args: ["--stdio", join(sourceDir, app)],
        stderr: "ignore",
      }),
  );
});

describe("through the bridge", () => {
  let server;
  before(async () => {
    server = await startServer(app);
  });
  after(() => server?.stop());
  suite(() => bridgeTo(server.url));
});
