// gemini.mjs BASE_URL: streams content with Google's library and prints what came.
import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: new URL(process.argv[2]).origin } });
const stream = await client.models.generateContentStream({ model: "gemini-recorded", contents: "What is recorded?" });
let chunks = 0;
let text = "";
let finish_reason = null;
let usage = null;
for await (const chunk of stream) {
  chunks++;
  text += chunk.text ?? "";
  finish_reason = chunk.candidates?.[0]?.finishReason ?? finish_reason;
  usage = chunk.usageMetadata ?? usage;
}
console.log(JSON.stringify({ chunks, text, finish_reason, usage }));
