import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { defineConfig } from '@playwright/test'

const script = fileURLToPath(new URL('../../internal/local/chromium/install.sh', import.meta.url))

/** Debian's Chromium, installed where it is missing and can be. */
function chromium(): string {
  return execFileSync('sh', [script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}

/** A full run of all tests, as .ci/run makes it. */
const full = (process.env['TAPEDECK_TEST_FULL'] ?? '') !== ''

/** With the long tests (tagged @long), as `make test-long` sets it. */
const long = (process.env['TAPEDECK_TEST_LONG'] ?? '') !== ''

// How long commands that record wait until their recording can be read. Workers have the environment of this process.
process.env['TAPEDECK_WAIT_LIMIT'] ??= '2m'

export default defineConfig({
  testDir: 'e2e',
  // Each worker has a server of its own (e2e/test.ts). Tests of one file run one after the other, in one worker,
  // unless the file asks for more.
  workers: 3,
  // These end what hangs; they do not measure how quick something is. A machine that others use can be very slow.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  forbidOnly: full,
  reporter: full ? 'dot' : 'list',
  use: {
    browserName: 'chromium',
    launchOptions: { executablePath: chromium(), args: ['--no-sandbox'] },
    viewport: { width: 1280, height: 800 },
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    trace: 'off',
  },
  projects: [
    { name: 'pages', testMatch: '**/*.spec.ts', ...(long ? {} : { grepInvert: /@long/ }) },
    { name: 'screenshots', testMatch: '**/*.shots.ts' },
  ],
})
