// SPDX-License-Identifier: Apache-2.0
//
// Every tool of becausal, called through the client of the TypeScript MCP SDK.
//
//   node run.mjs stdio COMMAND [ARGUMENT...]       starts a server; it gets this program's environment
//   node run.mjs http URL                          streamable HTTP; the token is in MCP_TOKEN
//   node run.mjs sse URL                           the older transport, likewise
//
// The server offers all toolsets and the aliases, over an empty memory. The program ends with 1 as soon
// as an answer is not what it should be, or when the server has a tool that is not called here.

import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

function transport([kind, target, ...rest]) {
  if (kind === "stdio") {
    return new StdioClientTransport({ command: target, args: rest, env: process.env, stderr: "inherit" });
  }
  const headers = { Authorization: `Bearer ${process.env.MCP_TOKEN}` };
  const options = { requestInit: { headers } };
  if (kind === "http") return new StreamableHTTPClientTransport(new URL(target), options);
  if (kind === "sse") return new SSEClientTransport(new URL(target), options);
  throw new Error("usage: run.mjs stdio COMMAND [ARGUMENT...] | http URL | sse URL");
}

const client = new Client({ name: "becausal-ts-client", version: "1.0.0" });
await client.connect(transport(process.argv.slice(2)));

const listed = new Map();
for (let cursor; ; ) {
  const page = await client.listTools(cursor ? { cursor } : undefined);
  for (const tool of page.tools) listed.set(tool.name, tool);
  cursor = page.nextCursor;
  if (!cursor) break;
}

// The SDK's client checks what is structured against the tool's output schema by itself.
const called = new Set();
async function call(name, args = {}) {
  assert.ok(listed.has(name), `the server does not offer ${name}`);
  const result = await client.callTool({ name, arguments: args });
  const text = result.content.map((part) => part.text).join("\n");
  assert.ok(!result.isError, `${name}: ${text}`);
  assert.ok(result.structuredContent, `${name} answers nothing structured`);
  assert.ok(text.length > 0, `${name} answers no text`);
  called.add(name);
  return result.structuredContent;
}

// engram
const told = "The cooling broke down on Sunday, so we moved the backup to eight.";
const { id } = await call("smriti_store", { content: told, source: "ts", tags: "a,b", metadata: { from: "TypeScript" } });
const { id: other } = await call("smriti_store", { content: "The ledger stays on PostgreSQL 15." });
const recalled = await call("smriti_recall", { query: "cooling", limit: 3 });
assert.equal(recalled.results[0].content, told);
const answer = await call("ask", { question: "Why did we move the backup to eight?" });
assert.match(JSON.stringify(answer), /cooling broke down/);
const manage = (action, more = {}) => call("smriti_manage", { action, ...more });
await manage("get", { memory_id: id });
await manage("update", { memory_id: id, importance: 0.9 });
await manage("history", { memory_id: id });
const forgotten = await manage("forget", { memory_id: other });
await manage("undo", { change_id: forgotten.change_id });
await manage("archive");
await manage("clusters");
await manage("consolidate", { dry_run: true });
await manage("status");

// magma
await call("remember", { content: "Because the backup failed, Alice restored the ledger." });
const ledger = await call("add_entity", { name: "Ledger", entity_type: "system" });
await call("add_entity", { name: "Disk", entity_type: "device", properties: { size: 2 } });
await call("link_entities", { source: "Ledger", target: "Disk", relationship: "lives_on" });
const day = "2026-03-09";
await call("add_event", { description: "Disk replaced", occurred_at: day, entities: ["Disk"] });
await call("add_fact", { subject: "Disk", predicate: "size", object: "2 TB", valid_from: day });
await call("add_concept", { name: "storage", description: "where bytes live" });
await call("add_causal_link", { cause: "Disk full", effect: "Backup failed", confidence: 0.9 });
await call("semantic_search", { query: "disk", min_score: 0 });
const looked = await call("entity_lookup", { entity_ids: [ledger.uuid] });
assert.equal(looked.total, 1);
await call("temporal_expand", { entity_ids: [ledger.uuid], from: "2026-01-01", to: "2026-12-31" });
await call("causal_expand", { entity_ids: [ledger.uuid], direction: "both" });
const views = [{ source: "entity", nodes: [{ uuid: ledger.uuid, data: { name: "Ledger" }, score: 0.9 }] }];
const { merged } = await call("subgraph_merge", { views });
await call("linearize_context", { subgraph: merged, intent: "WHO" });
await call("get_statistics");
await call("clear_graph", { graph: "causal" });

// session, and the names that some of it has in pmll-memory-mcp's Python package
const session_id = "from-typescript";
const here = (name, more = {}) => call(name, { session_id, ...more });
await here("init");
assert.equal((await here("peek", { key: "k", claim: true })).hit, false);
await here("set", { key: "k", value: "v" });
assert.equal((await here("peek", { key: "k" })).value, "v");
await here("resolve", { promise_id: "k" });
const node = async (label) =>
  (await here("upsert_memory_node", { type: "note", label, content: `${label} is described here` })).node_id;
const [first, second] = [await node("alpha"), await node("beta")];
const relation = { source_id: first, target_id: second, relation: "depends_on" };
const items = [{ type: "note", label: "gamma", content: "Gamma comes third" }];
for (const names of [
  ["create_relation", "add_interlinked_context", "retrieve_with_traversal", "resolve_context"],
  ["create_memory_relation", "add_interlinked_memory", "retrieve_memory_traversal", "resolve_memory_context"],
]) {
  await here(names[0], relation);
  await here(names[1], { items });
  await here(names[2], { start_node_id: first });
  assert.equal((await here(names[3], { key: "k" })).value, "v");
}
await here("promote_to_long_term", { key: "k", value: "v" });
await here("promote_memory_to_long_term", { key: "k", value: "v" });
await here("search_memory_graph", { query: "alpha" });
await here("prune_stale_links");
await here("prune_memory_links");
await here("memory_status");
const asked = await here("graphql", { operation: "{ __typename }" });
assert.ok(!("errors" in asked), JSON.stringify(asked));
await here("flush");

const missing = [...listed.keys()].filter((name) => !called.has(name));
assert.deepEqual(missing, [], "tools that were not called");

// Resources and prompts
const { resources } = await client.listResources();
assert.ok(resources.some((resource) => resource.uri === "memory://status"));
for (const uri of ["memory://status", `memory://engram/${id}`]) {
  const { contents } = await client.readResource({ uri });
  assert.ok(JSON.parse(contents[0].text));
}
const { prompts } = await client.listPrompts();
assert.deepEqual(prompts.map((prompt) => prompt.name).sort(), ["post_mortem", "start_of_session"]);
const prompt = await client.getPrompt({ name: "post_mortem", arguments: { incident: "the backup was moved" } });
assert.match(prompt.messages[0].content.text, /cooling broke down/);

// What is refused is told as a tool's error, and what is not there as one of the protocol.
const refused = await client.callTool({ name: "smriti_store", arguments: { content: "" } });
assert.ok(refused.isError);
await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /Unknown tool/);

await client.close();
console.log(`${called.size} of ${listed.size} tools answered as they should`);
