// mcp-server.mjs: a server of two tools on standard input and output, with the library of the Model Context
// Protocol's authors.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "sums", version: "1.0.0" });
server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) => {
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { content: [{ type: "text", text: String(a + b) }] };
});
server.registerTool("fail", { inputSchema: {} }, async () => {
  throw new Error("it always fails");
});
await server.connect(new StdioServerTransport());
