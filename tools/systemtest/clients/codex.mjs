// codex.mjs CMD ARG…: runs an agent and speaks the protocol of "codex app-server" with it, as its schema has it. It
// grants what the agent asks for after half a second, and prints what it saw.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const agent = spawn(process.argv[2], process.argv.slice(3), { stdio: ["pipe", "pipe", "inherit"] });
const exited = new Promise((resolve) => agent.on("exit", (code) => resolve(code)));
const waiting = new Map();
const seen = { methods: [], text: "", asked: [], status: "", thread: "" };
let completed;
const done = new Promise((resolve) => (completed = resolve));

const send = (message) => agent.stdin.write(JSON.stringify(message) + "\n");
let requests = 100; // not the numbers of the agent's requests
const request = (method, params) =>
  new Promise((resolve) => {
    waiting.set(++requests, resolve);
    send({ method, id: requests, params });
  });

createInterface({ input: agent.stdout }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (!method) return waiting.get(id)(result);
  seen.methods.push(method);
  if (id !== undefined) {
    seen.asked.push(params.itemId);
    setTimeout(() => send({ id, result: { decision: "accept" } }), 500); // the person's time
  }
  if (method === "item/agentMessage/delta") seen.text += params.delta;
  if (method === "turn/completed") completed(params.turn);
});

await request("initialize", { clientInfo: { name: "test", version: "1.0.0" } });
send({ method: "initialized" });
const { thread } = await request("thread/start", { cwd: process.cwd() });
seen.thread = thread.id;
await request("turn/start", { threadId: thread.id, input: [{ type: "text", text: "Run the tests" }] });
seen.status = (await done).status;
agent.stdin.end();
seen.exit = await exited;
console.log(JSON.stringify(seen));
