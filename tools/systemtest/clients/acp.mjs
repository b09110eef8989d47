// acp.mjs CMD ARG…: runs an agent and speaks the Agent Client Protocol with it, with the library of the protocol's
// authors. It grants what the agent asks for after half a second, and prints what it saw and the bytes of both directions.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const agent = spawn(process.argv[2], process.argv.slice(3), { stdio: ["pipe", "pipe", "inherit"] });
const exited = new Promise((resolve) => agent.on("exit", (code) => resolve(code)));
const bytes = { sent: [], received: [] };
const keep = (list) =>
  new TransformStream({
    transform(chunk, controller) {
      list.push(Buffer.from(chunk));
      controller.enqueue(chunk);
    },
  });
const outgoing = keep(bytes.sent);
outgoing.readable.pipeTo(Writable.toWeb(agent.stdin)).catch(() => {});
const incoming = Readable.toWeb(agent.stdout).pipeThrough(keep(bytes.received));

const seen = { updates: [], text: "", asked: [], session: "", stop: "" };
const result = await acp
  .client({ name: "test" })
  .onRequest(acp.methods.client.session.requestPermission, async ({ params }) => {
    seen.asked.push(params.toolCall.toolCallId);
    await new Promise((resolve) => setTimeout(resolve, 500));
    return { outcome: { outcome: "selected", optionId: params.options[0].optionId } };
  })
  .connectWith(acp.ndJsonStream(outgoing.writable, incoming), async (ctx) => {
    await ctx.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
    return ctx.buildSession(process.cwd()).withSession(async (session) => {
      seen.session = session.sessionId;
      session.prompt("Hello, agent!");
      for (;;) {
        const message = await session.nextUpdate();
        if (message.kind === "stop") return message.response;
        const { update } = message.notification;
        seen.updates.push(update.sessionUpdate);
        if (update.sessionUpdate === "agent_message_chunk") seen.text += update.content.text;
      }
    });
  });
seen.stop = result.stopReason;
agent.stdin.end();
seen.exit = await exited;
seen.sent = Buffer.concat(bytes.sent).toString("base64");
seen.received = Buffer.concat(bytes.received).toString("base64");
console.log(JSON.stringify(seen));
