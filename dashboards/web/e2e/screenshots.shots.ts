import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { dayOfRuns } from './day'
import { LiveRun } from './liverun'
import { ended, LiveRecording } from './recording'
import { searchedUntil } from './searching'
import { program, startServer, type Server } from './server'
import { weeksOfSpending } from './spending'
import { expect, test } from './test'

const pictures = fileURLToPath(new URL('../../../docs/screenshots', import.meta.url))
const fixtures = fileURLToPath(new URL('../../../../shared/fixtures', import.meta.url))

const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } }

/** A page's picture: its name, its address, and what is there once it is ready. */
interface Shot {
  name: string
  path: string
  ready: string
  /** The view of a session that is chosen there, and what is in it once it is loaded. */
  tab?: { name: string; ready: string }
}

const full: readonly Shot[] = [
  { name: 'sessions', path: '/', ready: 'text=nightly-build' },
  { name: 'session', path: '/sessions/demo?t=4.2', ready: '[aria-label="Player"]' },
  {
    name: 'session-frames',
    path: '/sessions/demo?t=4.2',
    ready: '[aria-label="Player"]',
    tab: { name: 'Frames', ready: 'text=node_enter' },
  },
  {
    name: 'session-totals',
    path: '/sessions/demo?t=4.2',
    ready: '[aria-label="Player"]',
    tab: { name: 'Totals', ready: '[aria-label="Model calls"]' },
  },
  { name: 'usage', path: '/usage?from=now-30d', ready: 'tfoot' },
  { name: 'reconciliation', path: '/usage/reconciliation?from=now-24h', ready: 'main [data-ready]' },
  { name: 'retention', path: '/retention', ready: '[aria-label="Policies"]' },
  { name: 'bills', path: '/bills', ready: '[aria-label="Periods of accounts"]' },
  { name: 'prices', path: '/prices', ready: 'text=Effective table' },
  { name: 'tools', path: '/tools?from=now-24h', ready: 'tfoot' },
  { name: 'calls', path: '/calls?from=now-24h', ready: 'tfoot' },
  { name: 'search', path: '/search?q=build', ready: 'main mark' },
  { name: 'compare', path: '/compare?a=demo&b=day-shift', ready: 'main [data-ready]' },
  { name: 'audit', path: '/audit', ready: '[aria-label="Entries"]' },
  { name: 'record', path: '/record', ready: 'text=frames/s' },
  { name: 'tag', path: '/tag?tag=customer:acme', ready: 'text=Cost by day' },
  { name: 'session-hung', path: '/sessions/nightly-import', ready: '[aria-label="Player"]' },
  { name: 'access', path: '/access', ready: 'main h1' },
]

const empty: readonly Shot[] = [
  { name: 'sessions-empty', path: '/', ready: 'text=Nothing is recorded yet' },
  { name: 'usage-empty', path: '/usage', ready: 'text=No usage in this range' },
  { name: 'bills-empty', path: '/bills', ready: 'text=Nothing to bill yet' },
  { name: 'tools-empty', path: '/tools', ready: 'text=No tool calls in this range' },
  { name: 'audit-empty', path: '/audit?outcome=failed', ready: 'text=No entry is like this' },
  { name: 'record-empty', path: '/record', ready: 'text=Nothing is being recorded' },
]

/** Records a day of runs, and what others published as examples of their protocols, where it is there. */
async function fill(server: Server): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'tapedeck-day-'))
  try {
    const file = join(dir, 'day.ndjson')
    writeFileSync(file, dayOfRuns(Date.now()))
    await promisify(execFile)(program, ['record', '--session', 'day-shift', '--clock', 'frame', file], {
      env: { ...process.env, TAPEDECK_SERVER: server.url },
    })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
  await weeksOfSpending(server.url, Date.now())
  if (!existsSync(fixtures)) return
  for (const dialect of readdirSync(fixtures, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
    for (const file of readdirSync(join(fixtures, dialect.name)))
      await promisify(execFile)(
        program,
        [
          'record',
          '--session',
          file.split('.')[0] ?? file,
          '--tag',
          `source=${dialect.name}`,
          join(fixtures, dialect.name, file),
        ],
        { env: { ...process.env, TAPEDECK_SERVER: server.url } },
      )
}

for (const [what, shots, args] of [
  ['full', full, ['--demo', '--quiet-after', '2s']],
  ['empty', empty, []],
] as const)
  test(`every page, ${what}`, async ({ page }) => {
    test.setTimeout(600_000)
    mkdirSync(pictures, { recursive: true })
    const server = await startServer([...args])
    const live = what === 'full' ? await LiveRecording.begin(server.url, 'nightly-build') : undefined
    const hung = what === 'full' ? new LiveRun(server.url, 'nightly-import') : undefined
    hung?.call('c1', 'psql', '{"query":"copy orders from stdin"}')
    const ticking = setInterval(() => live?.send(3), 100)
    try {
      if (what === 'full') {
        await expect.poll(() => ended(page.request, 'demo', server.url), { timeout: 60_000 }).toBe(true)
        await fill(server)
      }
      for (const scheme of ['light', 'dark'] as const)
        for (const [size, viewport] of Object.entries(sizes))
          for (const { name, path, ready, tab } of shots) {
            await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
            await page.setViewportSize(viewport)
            await page.goto(server.url + path)
            await searchedUntil(page, page.locator(ready).first())
            if (tab !== undefined) {
              await page.getByRole('tab', { name: tab.name }).click()
              await expect(page.locator(tab.ready).first()).toBeVisible()
            }
            await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined) // a live page never is
            // Transitions are ended: on a slow machine the mark of a chosen tab is not there yet.
            await page.screenshot({
              path: join(pictures, `${name}-${scheme}-${size}.png`),
              animations: 'disabled',
            })
          }
    } finally {
      clearInterval(ticking)
      await live?.end()
      await hung?.end()
      await page.goto('about:blank') // which asks nothing of a server that is away
      await server.stop()
    }
  })
