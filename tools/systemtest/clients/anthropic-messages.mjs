// anthropic-messages.mjs BASE_URL…: streams a message from each server with
// Anthropic's library and prints what it put together, as an array.
import Anthropic from "@anthropic-ai/sdk";

async function ask(base) {
  const client = new Anthropic({ baseURL: new URL(base).origin, apiKey: "none", maxRetries: 0 });
  const stream = client.beta.messages.stream({
    model: "recorded",
    max_tokens: 1000,
    messages: [{ role: "user", content: "What is recorded?" }],
  });
  let events = 0;
  stream.on("streamEvent", () => events++);
  const { id, model, stop_reason, content, usage } = await stream.finalMessage();
  return { events, id, model, stop_reason, content, usage };
}

console.log(JSON.stringify(await Promise.all(process.argv.slice(2).map(ask))));
