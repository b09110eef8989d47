// loom.mjs URL: reads steps as a JSON array from standard input, each a message
// to send and the types one of which ends its answer, and prints the answers. A
// step with "raw" sends that text as it is, one with "binary" sends bytes.
import { readFileSync } from "node:fs";
import WebSocket from "ws";

const socket = new WebSocket(process.argv[2]);
const messages = [];
let wake = () => {};
let closed = null;
socket.on("message", (data, binary) => {
  messages.push({ text: data.toString("utf8"), binary });
  wake();
});
socket.on("close", (code) => {
  closed = code;
  wake();
});
await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));

async function next() {
  while (messages.length === 0) {
    if (closed !== null) return null;
    await new Promise((resolve) => (wake = resolve));
  }
  return messages.shift();
}

const answers = [];
for (const step of JSON.parse(readFileSync(0, "utf8"))) {
  const text = step.raw ?? JSON.stringify(step.send);
  socket.send(step.binary ? Buffer.from(text) : text);
  const answer = [];
  for (;;) {
    const m = await next();
    if (m === null) break;
    answer.push(m);
    if (step.until.includes(JSON.parse(m.text).type)) break;
  }
  answers.push(answer);
}
socket.close();
console.log(JSON.stringify({ answers, closed }));
