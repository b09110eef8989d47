import { expect, test } from "./tapedeck.js";

test("an answer appears", async ({ page, emulate }) => {
  const backend = await emulate("http", "capital.sse");
  await page.goto(`${process.env.UI_URL}?backend=${backend}`);
  await page.getByRole("textbox").fill("What is the capital of Switzerland?");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("log")).toHaveText("Berne, the federal city.");
});
