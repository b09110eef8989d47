import { test as base } from '@playwright/test'

export { expect } from '@playwright/test'

/** Tests against the server of the run. What a page complains about in its console fails its test. */
export const test = base.extend<{ complaints: string[] }>({
  complaints: [
    async ({ page }, provide) => {
      const complaints: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.message))
      await provide(complaints)
      base.expect(complaints, 'what the browser complained about').toEqual([])
    },
    { auto: true },
  ],
})
