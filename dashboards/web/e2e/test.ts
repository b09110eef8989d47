import { test as base } from '@playwright/test'

export { expect } from '@playwright/test'

/** Tests against the server of the run. What a page complains about in its console fails its test. */
export const test = base.extend<{ complaints: string[] }>({
  complaints: [
    async ({ page }, provide) => {
      const complaints: string[] = []
      page.on('console', (message) => {
        if (message.type() !== 'error') return
        // A server that is busy answers 503, as /readyz does if a check takes more than two seconds, and the page
        // asks again. The browser notes each answer; what the page shows afterwards is what tests look at.
        if (/status of 503/.test(message.text())) return
        complaints.push(`${message.text()} ${message.location().url}`.trim())
      })
      page.on('pageerror', (error) => complaints.push(error.message))
      await provide(complaints)
      base.expect(complaints, 'what the browser complained about').toEqual([])
    },
    { auto: true },
  ],
})
