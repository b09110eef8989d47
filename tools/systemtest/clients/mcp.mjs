// mcp.mjs CMD ARG…: runs a server of tools and calls them, with the library of the Model Context Protocol's authors.
// It prints the tools' names and results.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "test", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({ command: process.argv[2], args: process.argv.slice(3), env: process.env, stderr: "inherit" }),
);
const { tools } = await client.listTools();
const results = [];
for (const n of [1, 2, 3]) results.push(await client.callTool({ name: "add", arguments: { a: n, b: 10 } }));
const failed = await client.callTool({ name: "fail", arguments: {} });
await client.close();
console.log(
  JSON.stringify({
    tools: tools.map((t) => t.name),
    results: results.map((r) => r.content[0].text),
    failed: failed.isError ?? false,
  }),
);
