import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const server = createServer((_, res) => {
  res.setHeader("Content-Type", "text/html; charset=utf-8");
  res.end(readFileSync("ui.html"));
});
server.listen(0, "127.0.0.1", () => console.log(`UI at http://127.0.0.1:${server.address().port}/`));
