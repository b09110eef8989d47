// browser.mjs BROWSER PAGE: opens a page in a browser, waits until the page has
// set window.result, and prints it.
import { chromium } from "playwright-core";

const [executablePath, address] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"], timeout: 60_000 });
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  const said = [];
  page.on("pageerror", (e) => said.push(String(e)));
  await page.goto(address);
  try {
    await page.waitForFunction(() => window.result !== undefined);
  } catch (e) {
    throw new Error(`${e}\nthe page said: ${said.join("\n")}`);
  }
  console.log(JSON.stringify(await page.evaluate(() => window.result)));
} finally {
  await browser.close();
}
