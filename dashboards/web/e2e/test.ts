import { test as base } from '@playwright/test'
import { startServer } from './server'

export { expect } from '@playwright/test'

/**
 * Tests against a server of their worker, so that tests that run side by side do not change each other's sessions.
 * An error in the browser's console fails the test of its page, unless the test calls `expectErrors` with a pattern of
 * the error at its beginning: the browser may log an error after the page has shown its outcome.
 */
export const test = base.extend<
  { expectedErrors: RegExp[]; expectErrors: (pattern: RegExp) => void },
  { demoServer: string }
>({
  demoServer: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads from the pattern what a fixture needs: nothing.
    async ({}, provide) => {
      const server = await startServer(['--demo'])
      try {
        await demoToEnd(server.url)
        await provide(server.url)
      } finally {
        await server.stop()
      }
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  baseURL: async ({ demoServer }, provide) => provide(demoServer),
  expectedErrors: [
    async ({ page }, provide) => {
      // A server that is busy answers 503, as /readyz does if a check takes more than two seconds, and the page
      // asks again. The browser logs each answer; tests look at what the page shows afterwards.
      const expected = [/status of 503/]
      const errors: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`.trim())
      })
      page.on('pageerror', (error) => errors.push(error.message))
      await provide(expected)
      const unexpected = errors.filter((text) => !expected.some((pattern) => pattern.test(text)))
      base.expect(unexpected, 'errors in the console of the browser').toEqual([])
    },
    { auto: true },
  ],
  expectErrors: async ({ expectedErrors }, provide) =>
    provide((pattern) => void expectedErrors.push(pattern)),
})

/** Waits until the demo was played to its end and is stored. */
async function demoToEnd(url: string) {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline;) {
    const answer = await fetch(`${url}/v1/sessions/demo`)
    if (answer.ok && ((await answer.json()) as { status: string }).status === 'ok') return
    await new Promise((done) => setTimeout(done, 100)) // the interval of asking
  }
  throw new Error('the demo did not end within two minutes')
}
