// openai-responses.mjs BASE_URL…: streams a response from each server with
// OpenAI's library and prints what it put together, or the error that the stream
// brought, as an array.
import OpenAI from "openai";

async function ask(base) {
  const client = new OpenAI({ baseURL: new URL("/v1", base).href, apiKey: "none", maxRetries: 0 });
  const stream = client.responses.stream({ model: "recorded", input: "What is recorded?" });
  let events = 0;
  stream.on("event", () => events++);
  let response = null;
  let failed = null;
  try {
    response = await stream.finalResponse();
  } catch (e) {
    if (!(e instanceof OpenAI.APIError)) throw e;
    failed = e.error;
  }
  const parts = (response?.output ?? []).flatMap((o) => (o.type === "message" ? o.content : []));
  return {
    events,
    failed,
    text: parts.map((p) => p.text ?? "").join(""),
    items: (response?.output ?? []).map((o) => ({ type: o.type, id: o.id })),
    usage: response?.usage ?? null,
  };
}

console.log(JSON.stringify(await Promise.all(process.argv.slice(2).map(ask))));
