// strict.mjs ai|ag-ui URL…: reads each address as the client does that others wrote, and prints why it refuses a
// stream, or null, in one JSON array.
import { DefaultChatTransport, readUIMessageStream } from "ai";
import { HttpAgent } from "@ag-ui/client";

const [kind, ...urls] = process.argv.slice(2);

/** AI SDK: what useChat does with a stream that it reconnects to. */
async function ai(url) {
  const transport = new DefaultChatTransport({ prepareReconnectToStreamRequest: () => ({ api: url }) });
  const stream = await transport.reconnectToStream({ chatId: "c" });
  for await (const _ of readUIMessageStream({ stream, terminateOnError: true }));
}

/** AG-UI: an agent whose requests are answered by the address. */
async function agui(url) {
  const agent = new HttpAgent({ url });
  agent.requestInit = () => ({ method: "GET", headers: { Accept: "text/event-stream" } });
  await agent.runAgent();
}

const client = { ai, "ag-ui": agui }[kind];
const refused = [];
for (const url of urls) {
  try {
    await client(url);
    refused.push(null);
  } catch (error) {
    refused.push(String(error?.message ?? error));
  }
}
console.log(JSON.stringify(refused));
