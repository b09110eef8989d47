// mcp-tools.mjs CALLS URL, or CALLS CMD ARG…: calls tools of a server with the library of the Model Context Protocol's
// authors. CALLS is a list of [tool, arguments]. It prints the instructions, the tools' names, and the results.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [calls, target, ...args] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1.0.0" });
await client.connect(
  target.startsWith("http")
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args, env: process.env, stderr: "inherit" }),
);
const { tools } = await client.listTools();
const results = [];
for (const [name, given] of JSON.parse(calls)) {
  const r = await client.callTool({ name, arguments: given });
  results.push({ text: r.content[0].text, failed: r.isError ?? false });
}
console.log(JSON.stringify({ instructions: client.getInstructions(), tools: tools.map((t) => t.name), results }));
await client.close();
