// Computes what a recording of Loom frames must come to, from the file alone:
// node totals.mjs FILE. Shares nothing with tapedeck but the file.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

const totals = { frames: 0, prompt: 0, completion: 0, calls: 0, tools: 0, tool_errors: 0, sessions: 0 };
const sessions = new Set(), calls = new Set();
for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  const f = JSON.parse(line);
  totals.frames++;
  sessions.add(f.session_id);
  if (f.type === "usage") { totals.calls++; totals.prompt += f.prompt_tokens; totals.completion += f.completion_tokens; }
  if (f.call_id) calls.add(`${f.session_id} ${f.call_id}`); // also one that has not ended
  if (f.type === "tool_end") totals.tool_errors += f.is_error ? 1 : 0;
}
totals.sessions = sessions.size;
totals.tools = calls.size;
console.log(JSON.stringify(totals));
