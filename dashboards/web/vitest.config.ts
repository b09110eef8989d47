import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}'],
    testTimeout: 60_000,
    expect: { poll: { timeout: 55_000 } },
    setupFiles: ['src/testing/browser.ts'],
  },
})
