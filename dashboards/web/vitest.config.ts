import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}'],
    // Files are in contexts of their own, which share what is compiled: a third of the time of processes.
    pool: 'vmThreads',
    testTimeout: 60_000,
    expect: { poll: { timeout: 55_000 } },
    setupFiles: ['src/testing/browser.ts'],
  },
})
