// A whole session of `fsgate mcp` through the official TypeScript SDK: session.mjs PROGRAM [--without TOOL,...]

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const FILES = 20_000;
const PATIENCE = { timeout: 60_000 };

const [program, flag, names] = process.argv.slice(2);
assert.ok(program, "usage: session.mjs PROGRAM [--without TOOL,...]");
const without = new Set(flag === "--without" ? names.split(",") : []);

const scratch = mkdtempSync(join(tmpdir(), "fsgate-"));
const granted = join(scratch, "w");
mkdirSync(granted);
writeFileSync(join(granted, "a.txt"), "one\ntwo\nthree\n");

const client = new Client(
  { name: "session", version: "1" },
  { capabilities: { roots: { listChanged: true } } },
);
// At first the project is what was granted.
let root = granted;
client.setRequestHandler(ListRootsRequestSchema, () => ({
  roots: [{ uri: pathToFileURL(root).href, name: "project" }],
}));
const text = (result) => result.content[0].text;
const call = (name, args, options) =>
  client.callTool({ name, arguments: args }, undefined, { ...PATIENCE, ...options });
const data = (result) => {
  assert.ok(!result.isError, text(result));
  return result.structuredContent;
};
const refused = (result, code) => {
  assert.ok(result.isError && result.structuredContent.code === code, text(result));
  assert.ok(text(result).startsWith(`${code}: `), text(result));
  return result.structuredContent;
};

async function search() {
  for (let number = 0; number < FILES; number++) {
    const directory = join(granted, "tree", String(Math.floor(number / 500)));
    if (number % 500 === 0) mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${number}.txt`), `this is file ${number}\n`.repeat(20));
  }
  const told = [];
  const needle = { pattern: `file ${FILES - 1}`, path: "tree", max_items: 10 };
  const onprogress = ({ progress }) => told.push(progress);
  const found = data(await call("grep", needle, { onprogress }));
  assert.ok(found.matches[0].path.endsWith(`/${FILES - 1}.txt`), JSON.stringify(found));
  assert.ok(told.length > 1 && told.every((value, at) => at === 0 || value > told[at - 1]), String(told));

  // A call that is given up is cancelled, and the session goes on.
  const gone = new AbortController();
  const slow = call("grep", { pattern: "nowhere to be found", path: "tree" }, { signal: gone.signal });
  setTimeout(() => gone.abort("enough"), 50);
  await assert.rejects(slow);
  assert.ok(data(await call("exists", { path: "a.txt" })).exists);
}

// What lies both in the grant and in a root is open.
async function roots() {
  for (const name of ["eins", "zw ö"]) {
    mkdirSync(join(granted, name));
    writeFileSync(join(granted, name, "a.txt"), name);
  }
  for (const [path, open] of [
    [join(granted, "eins"), ["eins"]],
    [join(granted, "zw ö"), ["zw ö"]],
    ["/etc", []],
    [scratch, ["eins", "zw ö"]],
  ]) {
    root = path;
    await client.sendRootsListChanged();
    for (const name of ["eins", "zw ö"]) {
      const result = await call("read", { path: join(granted, name, "a.txt") });
      if (open.includes(name)) assert.equal(data(result).content, name);
      else refused(result, "not_granted");
    }
  }
  refused(await call("read", { path: "/etc/passwd" }), "not_granted");
}

try {
  const args = ["mcp", "--dir", granted, "--tools", "all", "--output-schemas"];
  await client.connect(new StdioClientTransport({ command: resolve(program), args, env: { HOME: scratch } }));
  assert.equal(client.getServerVersion().name, "fsgate");
  assert.ok(client.getInstructions().includes(granted));

  const tools = new Map((await client.listTools()).tools.map((tool) => [tool.name, tool]));
  for (const name of ["read", "read_numbered", "list_directory", "create", "write", "replace", "grep", "move", "delete"])
    assert.ok(tools.has(name) || without.has(name), `not listed: ${name}`);
  assert.ok(tools.get("read").annotations.readOnlyHint && !tools.get("write").annotations.readOnlyHint);

  // The SDK checks the data of each answer against the schema of the outcome.
  const read = data(await call("read", { path: "a.txt" }));
  assert.equal(read.content, "one\ntwo\nthree\n");
  const shown = await call("read_numbered", { path: join(granted, "a.txt"), lines: "2-3" });
  assert.ok(text(shown).startsWith("2: two\n3: three\n"), text(shown));

  const edit = { path: "a.txt", old: "two", new: "2", if_match: read.etag, diff: true };
  const edited = await call("replace", edit);
  assert.ok(text(edited).includes("-two\n+2\n") && data(edited).replacements === 1, text(edited));
  const stale = refused(await call("replace", { ...edit, old: "three" }), "stale");
  assert.ok(stale.tag === data(edited).etag && !stale.applied);
  refused(await call("read", { path: "/etc/passwd" }), "not_granted");
  refused(await call("create", { path: "a.txt", content: "" }), "exists");
  await assert.rejects(call("no_such_tool", {}), { code: -32602 });

  const many = await Promise.all(Array.from({ length: 200 }, () => call("stat", { path: "a.txt" })));
  assert.ok(many.every((result) => data(result).entry.kind === "file"));

  await roots();
  if (!without.has("grep")) await search();
  if (!without.has("move")) {
    data(await call("move", { source: "a.txt", destination: "sub/b.txt" }));
    assert.equal(readFileSync(join(granted, "sub/b.txt"), "utf8"), "one\n2\nthree\n");
  }
  if (!without.has("delete")) {
    const path = without.has("move") ? "a.txt" : "sub/b.txt";
    data(await call("delete", { path }));
    assert.ok(!existsSync(join(granted, path)));
  }
  console.log("TypeScript: all as expected");
} finally {
  await client.close();
  rmSync(scratch, { recursive: true, force: true });
}
