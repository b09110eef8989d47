import { defineConfig } from "@playwright/test";

export default defineConfig({
  timeout: 120_000, // machines that run tests may be busy
  expect: { timeout: 60_000 },
  webServer: {
    command: "node ui.js", // your UI's own server
    wait: { stdout: /UI at (?<UI_URL>\S+)/ },
  },
  use: {
    // A browser of the system, in a container; leave this out for one that Playwright installs.
    launchOptions: { executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] },
  },
});
