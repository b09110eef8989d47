import type { Page } from '@playwright/test'
import { milliseconds } from './durations'
import { LiveRun } from './liverun'
import { expect, test } from './test'

/** What the parts of the page say of the age of a session, and of a tool call in it, at one moment. */
async function ages(page: Page, tool: string) {
  const read = await page.evaluate((tool) => {
    const text = (selector: string) => document.querySelector(selector)?.textContent ?? ''
    return {
      header: text('[aria-label="Facts"]').match(/Running for([^,A-Z]*)/)?.[1] ?? '',
      silence: text('[aria-label="Facts"]').match(/silent for([^A-Z]*)/)?.[1] ?? '',
      card: text(`[aria-label="Tool call: ${tool}"] header`).match(/(?:Running|Silent)([^:]*s)/)?.[1] ?? '',
      bar: [...document.querySelectorAll('[aria-label="Spans"] [role="row"]')]
        .map((row) => row.textContent)
        .filter((row) => row.startsWith(tool))
        .join(),
      player: Number(document.querySelector<HTMLElement>('[data-testid="moment"]')?.dataset['ms']),
    }
  }, tool)
  return {
    header: milliseconds(read.header),
    silence: milliseconds(read.silence),
    card: milliseconds(read.card),
    bar: milliseconds(read.bar),
    player: read.player,
  }
}

test(
  'of a hung tool call every part of the page says the same age, which is the true one',
  { tag: '@long' },
  async ({ page, baseURL }, info) => {
    const session = `hung-${info.repeatEachIndex}-${info.retry}-${Date.now()}`
    const run = new LiveRun(baseURL ?? '', session)
    run.say('I migrate the database.')
    run.call('c1', 'psql', '{"file":"0042.sql"}')
    const called = Date.now()
    await expect.poll(async () => (await page.request.get(`/v1/sessions/${session}`)).status()).toBe(200)
    const { started } = (await (await page.request.get(`/v1/sessions/${session}`)).json()) as {
      started: string
    }
    // It hangs for longer than anything on the page is late, in real time: the age of the call is measured.
    await expect.poll(() => Date.now() - called, { timeout: 60_000 }).toBeGreaterThan(12_000)

    await page.goto(`/sessions/${session}`)
    const agree = async () => {
      const { header, silence, card, bar, player } = await ages(page, 'psql')
      const age = Date.now() - Date.parse(started)
      const all = { header, player, card, bar, silence }
      const spread = Math.max(...Object.values(all)) - Math.min(...Object.values(all))
      // The call began, and the last frame came, right after the start.
      return spread < 1000 && Math.abs(age - player) < 1500 ? 'agree' : JSON.stringify({ age, ...all })
    }
    await expect.poll(agree).toBe('agree')
    await expect(
      page.getByRole('region', { name: 'Player' }).getByText('Live', { exact: true }),
    ).toBeVisible()
    const before = await ages(page, 'psql')
    await page.reload()
    await expect.poll(agree).toBe('agree')
    const after = await ages(page, 'psql')
    expect(after.header).toBeGreaterThanOrEqual(before.header)
    expect(after.player).toBeGreaterThanOrEqual(before.player)
    await expect(page.getByText('Lasted')).toHaveCount(0)
    await run.end()
    await expect(page.getByText('Lasted')).toBeVisible()
  },
)

/** What the page noted in the browser. */
interface Noted {
  /** The texts that it showed of each call. */
  shown: Record<string, string[]>
  /** What the server reported of the session's time: the end of the known frames, and when it was received. */
  reports: { offset: number; at: number }[]
}

/** Notes each report of the session's time before the page's own code receives it. Runs in the browser. */
function noteReports() {
  const reports: Noted['reports'] = []
  Object.assign(window, { reports })
  const Original = window.WebSocket
  window.WebSocket = class extends Original {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols)
      this.addEventListener('message', ({ data }: MessageEvent<string>) => {
        const { type, offset_ms, as_of_ms } = JSON.parse(data) as Record<string, unknown>
        const offset = type === 'cue' ? offset_ms : as_of_ms
        if (typeof offset === 'number') reports.push({ offset, at: performance.now() })
      })
    }
  }
}

/**
 * How much longer the report of a moment took than the fastest report before it, ms. A page that advances its time
 * between reports is ahead by at most this, when the machine or the network delays a report.
 */
function lateness(reports: Noted['reports'], moment: number): number {
  const i = reports.findIndex(({ offset }) => offset >= moment)
  const fastest = Math.min(...reports.slice(0, i).map(({ at, offset }) => at - offset))
  return Math.max(0, (reports[i]?.at ?? NaN) - moment - fastest)
}

test(
  'a short tool call is never shown to last longer than it did or than the page could know',
  { tag: '@long' },
  async ({ page, baseURL }, info) => {
    const session = `short-${info.repeatEachIndex}-${info.retry}-${Date.now()}`
    await page.addInitScript(noteReports)
    const run = new LiveRun(baseURL ?? '', session)
    run.say('I look.')
    await expect.poll(async () => (await page.request.get(`/v1/sessions/${session}`)).status()).toBe(200)
    await page.goto(`/sessions/${session}`)
    await expect(
      page.getByRole('region', { name: 'Player' }).getByText('Live', { exact: true }),
    ).toBeVisible()
    // Whatever the page shows of a call, at any time, is noted.
    await page.evaluate(() => {
      const shown: Record<string, string[]> = {}
      Object.assign(window, { shown })
      setInterval(() => {
        for (const card of document.querySelectorAll('[aria-label^="Tool call: "]'))
          (shown[card.getAttribute('aria-label')?.slice(11) ?? ''] ??= []).push(
            card.querySelector('header')?.textContent ?? '',
          )
        for (const row of document.querySelectorAll('[aria-label="Spans"] [role="row"]')) {
          const text = row.textContent
          const name = /^short\d/.exec(text)?.[0]
          if (name !== undefined) (shown[name] ??= []).push(text.slice(name.length))
        }
      }, 20)
    })
    const calls = 4
    for (let i = 0; i < calls; i++) {
      run.call(`c${i}`, `short${i}`, '{}')
      await page.waitForTimeout(225) // how long the call lasts
      run.result(`c${i}`, 'done')
      await page.waitForTimeout(1500) // a clock that went on after the call would show more than it lasted
    }
    const spans = async () => {
      const timeline = (await (await page.request.get(`/v1/sessions/${session}/timeline`)).json()) as {
        spans: { children: { name: string; start_ms: number; duration_ms: number | null }[] }[]
      }
      return timeline.spans
        .flatMap(({ children }) => children)
        .filter(({ name, duration_ms }) => name.startsWith('short') && duration_ms !== null)
    }
    await expect.poll(async () => (await spans()).length).toBe(calls)
    await expect(page.getByRole('article', { name: `Tool call: short${calls - 1}` })).not.toContainText(
      'Running',
    )
    const { shown, reports } = await page.evaluate(() => {
      const { shown, reports } = window as unknown as Noted
      return { shown, reports }
    })
    for (const { name, start_ms, duration_ms } of await spans()) {
      const end = start_ms + (duration_ms ?? 0)
      const late = lateness(reports, end)
      const longest = Math.max(
        ...(shown[name] ?? [])
          .map((text) => milliseconds(text.replace(/^short\d|\d+:\d\d\.\d{3}/g, '')))
          .filter((ms) => !Number.isNaN(ms)),
      )
      expect(
        longest,
        `${name} lasted ${duration_ms} ms, its end was reported ${late} ms late; shown: ${[...new Set(shown[name])].join(' | ')}`,
      ).toBeLessThan((duration_ms ?? 0) + late + 10)
    }
    await run.end()
  },
)
