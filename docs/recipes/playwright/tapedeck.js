import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test as base } from "@playwright/test";

export { expect } from "@playwright/test";

// emulate(protocol, recording) plays a recording on a free port until the test
// ends, and returns the address to point the UI at.
export const test = base.extend({
  emulate: async ({}, use) => {
    const running = [];
    await use(async (protocol, recording, ...flags) => {
      const args = ["emulate", protocol, recording, "--speed", "max", "--listen", "127.0.0.1:0", "--json", "--exit-with", "stdin"];
      const child = spawn("tapedeck", [...args, ...flags], { stdio: ["pipe", "pipe", "inherit"] });
      running.push(child);
      const [line] = await once(createInterface(child.stdout), "line");
      return JSON.parse(line).url;
    });
    for (const child of running) {
      const exit = once(child, "exit");
      child.stdin.end();
      await exit;
    }
  },
});
