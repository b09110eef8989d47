// codex-server.mjs: says what "codex app-server" says in one turn with a command that asks for approval. It is
// written from the protocol's schema: the real one needs a login.
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");
const of = { threadId: "thr_1", turnId: "turn_1" };
const command = { type: "commandExecution", id: "c1", command: "go test", cwd: "/p", commandActions: [] };
const tokens = { totalTokens: 1200, inputTokens: 1000, cachedInputTokens: 400, outputTokens: 200, reasoningOutputTokens: 50 };

const answers = {
  initialize: () => ({ userAgent: "scripted/0.1" }),
  "thread/start": () => ({ thread: { id: of.threadId, modelProvider: "openai" }, model: "gpt-5.1-codex", modelProvider: "openai" }),
  "turn/start": () => ({ turn: { id: of.turnId, items: [], status: "inProgress", error: null } }),
};

function begin() {
  send({ method: "turn/started", params: { threadId: of.threadId, turn: { id: of.turnId, items: [], status: "inProgress" } } });
  send({ method: "item/started", params: { ...of, item: { ...command, status: "inProgress" } } });
  send({ method: "item/commandExecution/requestApproval", id: 0, params: { ...of, itemId: "c1" } });
}

function run() {
  const item = { ...command, status: "completed", aggregatedOutput: "ok\n", exitCode: 0, durationMs: 200 };
  send({ method: "item/commandExecution/outputDelta", params: { ...of, itemId: "c1", delta: "ok\n" } });
  send({ method: "item/completed", params: { ...of, item } });
  for (const delta of ["All ", "passed."]) send({ method: "item/agentMessage/delta", params: { ...of, itemId: "m1", delta } });
  send({ method: "item/completed", params: { ...of, item: { type: "agentMessage", id: "m1", text: "All passed." } } });
  send({ method: "thread/tokenUsage/updated", params: { ...of, tokenUsage: { total: tokens, last: tokens } } });
  send({ method: "turn/completed", params: { threadId: of.threadId, turn: { id: of.turnId, items: [], status: "completed" } } });
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (method && id !== undefined) send({ id, result: answers[method]() });
  if (method === "thread/start") send({ method: "thread/started", params: { thread: { id: of.threadId } } });
  if (method === "turn/start") begin();
  if (!method && id === 0) setTimeout(run, 200); // the time of the command
}
