// openai-chat.mjs BASE_URL…: streams a chat completion from each server with
// OpenAI's library and prints what it put together, as an array.
import OpenAI from "openai";

async function ask(base) {
  const client = new OpenAI({ baseURL: new URL("/v1", base).href, apiKey: "none", maxRetries: 0 });
  const stream = client.chat.completions.stream({
    model: "recorded",
    messages: [{ role: "user", content: "What is recorded?" }],
    stream_options: { include_usage: true },
  });
  let chunks = 0;
  stream.on("chunk", () => chunks++);
  const done = await stream.finalChatCompletion();
  const { message, finish_reason } = done.choices[0];
  return {
    chunks,
    id: done.id,
    model: done.model,
    text: message.content ?? "",
    tools: (message.tool_calls ?? []).map((c) => ({ id: c.id, name: c.function.name, arguments: c.function.arguments })),
    finish_reason,
    usage: done.usage ?? null,
  };
}

console.log(JSON.stringify(await Promise.all(process.argv.slice(2).map(ask))));
