import type { Page } from '@playwright/test'
import { expect, test } from './test'

interface Frame {
  position: string
  offset_ms: number
  type: string
  frame?: { content?: string; message?: string }
}

/** The demo's frames, as the API lists them. */
async function demoFrames(page: Page): Promise<Frame[]> {
  const answer = await page.request.get('/v1/sessions/demo/frames?limit=5000')
  return ((await answer.json()) as { items: Frame[] }).items
}

/**
 * When the demo ended, ms: with its stream, which is some time after its last frame. The times are from the list of
 * streams, whose nanoseconds a Date does not hold.
 */
async function demoEnd(page: Page): Promise<number> {
  const answer = await page.request.get('/v1/sessions/demo')
  const { started, streams } = (await answer.json()) as {
    started: string
    streams: { ended: string | null }[]
  }
  const ends = streams.map(({ ended }) => nanoseconds(ended ?? '') - nanoseconds(started))
  return Number(ends.reduce((last, end) => (end > last ? end : last))) / 1e6
}

/** Nanoseconds of an RFC 3339 time in UTC, from the year 1970. */
function nanoseconds(time: string): bigint {
  const [, seconds = '', fraction = ''] = /^([^.Z]+)(?:\.(\d+))?Z$/.exec(time) ?? []
  return BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
}

/** The moment that the player shows, ms. */
async function moment(page: Page): Promise<number> {
  return Number(await page.getByTestId('moment').getAttribute('data-ms'))
}

/** The moments in the answers that the server's player gives to a control, ms. The list grows as they arrive. */
function answersOf(page: Page, op: string): number[] {
  const moments: number[] = []
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      const message = JSON.parse(payload.toString()) as { op?: string; offset_ms?: number }
      if (message.op === op && message.offset_ms !== undefined) moments.push(message.offset_ms)
    }),
  )
  return moments
}

/** What of the assistant's words had arrived by a moment. */
function saidBy(frames: Frame[], ms: number): string {
  return frames
    .filter((f) => f.offset_ms <= ms && f.type === 'message_chunk')
    .map((f) => f.frame?.content ?? '')
    .join('')
}

/** Letters and digits alone, since the page sets the words as Markdown. */
const letters = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '')

const player = (page: Page) => page.getByRole('region', { name: 'Player' })
const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' })

/** Has it play so slowly that the end does not come before what is looked for. */
async function slowly(page: Page) {
  await page.getByTestId('moment').waitFor() // which hears the keys
  for (let i = 0; i < 3; i++) await page.keyboard.press('<')
  await expect(player(page).getByRole('button', { name: 'Speed: 0.1×' })).toBeVisible()
}

test('a session is found, opened and played to its end', async ({ page }) => {
  await page.goto('/')
  await page
    .getByRole('link', { name: /last night's build/ })
    .first()
    .click()
  await expect(page.getByRole('heading', { level: 1, name: /last night's build/ })).toBeVisible()
  const end = await demoEnd(page)
  const frames = await demoFrames(page)
  expect(end).toBeGreaterThanOrEqual(frames.at(-1)?.offset_ms ?? Infinity)
  // It opens at its end, with all that was said.
  const said = letters(saidBy(frames, Infinity))
  await expect.poll(async () => letters(await conversation(page).innerText())).toContain(said.slice(-12))
  await expect(page.getByTestId('moment')).toHaveAttribute('data-ms', String(end))
  await player(page).getByRole('button', { name: 'Speed: 1×' }).click()
  await page.getByRole('menuitem', { name: '8×' }).click()
  // All moments that are shown: the playback may be over sooner than anybody looks.
  const shown = await page.getByTestId('moment').evaluateHandle((element: HTMLElement) => {
    const shown: number[] = []
    new MutationObserver(() => shown.push(Number(element.dataset['ms']))).observe(element, {
      attributes: true,
    })
    return shown
  })
  await player(page).getByRole('button', { name: 'Play' }).click()
  await expect.poll(() => shown.evaluate((all) => all.some((ms, i) => ms > (all[i - 1] ?? ms)))).toBe(true)
  await expect(player(page).getByRole('button', { name: 'Play' })).toBeVisible()
  await expect(page.getByTestId('moment')).toHaveAttribute('data-ms', String(end))
})

test('what is shown at a moment is what had arrived by then', async ({ page }) => {
  const frames = await demoFrames(page)
  const chunks = frames.filter((f) => f.type === 'message_chunk')
  for (const at of [0.2, 0.5, 0.8, 1]) {
    const shown = chunks[Math.min(Math.floor(chunks.length * at), chunks.length - 1)]
    const ms = shown?.offset_ms ?? 0
    await page.goto(`/sessions/demo?t=${ms / 1000}`)
    await expect(page.getByTestId('moment')).toHaveAttribute('data-ms', String(ms))
    const want = letters(saidBy(frames, ms))
    const next = letters(saidBy(frames, Infinity)).slice(want.length)
    await expect.poll(async () => letters(await conversation(page).innerText())).toContain(want.slice(-12))
    if (next !== '')
      expect(letters(await conversation(page).innerText())).not.toContain(want.slice(-8) + next.slice(0, 12))
  }
})

test('paused, it steps from one frame to the next', async ({ page }) => {
  const frames = await demoFrames(page)
  const times = [...new Set(frames.map((f) => f.offset_ms))]
  const steps = answersOf(page, 'step')
  await page.goto('/sessions/demo?t=0')
  await slowly(page)
  await player(page).getByRole('button', { name: 'Play' }).click()
  await expect.poll(() => moment(page)).toBeGreaterThan(300)
  await page.keyboard.press('k')
  await expect(player(page).getByRole('button', { name: 'Play' })).toBeVisible()
  // Steps go to the frames' own times, whichever way.
  const stepped = async (key: string, answers: number) => {
    await page.keyboard.press(key)
    await expect.poll(() => steps.length).toBe(answers)
    await expect.poll(async () => Math.abs((await moment(page)) - (steps.at(-1) ?? NaN))).toBeLessThan(0.001)
    const at = await moment(page)
    expect(times).toContain(at)
    return at
  }
  const here = await stepped('.', 1)
  expect(await stepped('.', 2)).toBeGreaterThanOrEqual(here) // frames may have the same time
  expect(await stepped(',', 3)).toBe(here)
})

test(
  'a frame that is stepped to from a moment in between is the next one',
  { tag: '@long' },
  async ({ page }) => {
    const frames = await demoFrames(page)
    const i = frames.findIndex((f, n) => n > 40 && f.offset_ms - (frames[n - 1]?.offset_ms ?? 0) > 20)
    const [before, next] = [frames[i - 1]?.offset_ms ?? 0, frames[i]?.offset_ms ?? 0]
    await page.goto(`/sessions/demo?t=${(before + 5) / 1000}`)
    await page.getByTestId('moment').waitFor()
    await page.keyboard.press('.')
    await expect(page.getByTestId('moment')).toHaveAttribute('data-ms', String(next))
    await page.keyboard.press(',')
    await expect(page.getByTestId('moment')).toHaveAttribute('data-ms', String(before))
  },
)

test('the scrubber goes to any moment, while it plays, too', async ({ page }) => {
  await page.goto('/sessions/demo?t=0')
  const slider = player(page).getByRole('slider', { name: 'Moment' })
  await expect(slider).toHaveAttribute('aria-valuenow', '0')
  const box = await slider.boundingBox()
  if (box === null) throw new Error('the slider has no box')
  await page.mouse.click(box.x + box.width / 2, box.y + 10)
  const length = Number(await slider.getAttribute('aria-valuemax'))
  await expect.poll(async () => Math.abs((await moment(page)) - length / 2)).toBeLessThan(length / 100)
  await page.keyboard.press('9')
  await expect.poll(async () => Math.abs((await moment(page)) - length * 0.9)).toBeLessThan(2)
  await slowly(page)
  await player(page).getByRole('button', { name: 'Play' }).click()
  await page.keyboard.press('1')
  await expect.poll(() => moment(page)).toBeLessThan(length / 2)
  await expect.poll(() => moment(page)).toBeGreaterThan(length * 0.12)
  await expect(player(page).getByRole('button', { name: 'Pause' })).toBeVisible()
})

test('keys are left to fields, and listed by ?', { tag: '@long' }, async ({ page }) => {
  await page.goto('/sessions/demo?t=1')
  await page.getByTestId('moment').waitFor()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keys' })
  await expect(help.getByText('Five seconds back or on')).toBeVisible()
  await page.keyboard.press('9')
  await expect(page.getByTestId('moment')).toHaveAttribute('data-ms', '1000')
  await page.keyboard.press('Escape')
  await expect(help).toBeHidden()
  await page.keyboard.press('>')
  await expect(player(page).getByRole('button', { name: 'Speed: 1.5×' })).toBeVisible()
  await page.keyboard.press('s')
  await expect(player(page).getByRole('button', { name: /Skip silence/ })).toHaveAttribute(
    'aria-pressed',
    'true',
  )
  await page.keyboard.press('m')
  await expect.poll(() => moment(page)).toBeGreaterThan(1000)
  await page.keyboard.press('Home')
  await expect(page.getByTestId('moment')).toHaveAttribute('data-ms', '0')
})

test('a loop begins again', async ({ page }) => {
  await page.goto('/sessions/demo?t=0')
  await page.getByTestId('moment').waitFor()
  await page.keyboard.press('r')
  for (let i = 0; i < 6; i++) await page.keyboard.press('>')
  await expect(player(page).getByRole('button', { name: 'Speed: 32×' })).toBeVisible()
  await page.keyboard.press('k')
  // It goes round: late in the session, then early, and it still plays.
  await expect.poll(() => moment(page), { intervals: [10] }).toBeGreaterThan(4000)
  await expect.poll(() => moment(page), { intervals: [10] }).toBeLessThan(2000)
  await expect(player(page).getByRole('button', { name: 'Pause' })).toBeVisible()
})

test('the link to a moment opens it', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/sessions/demo?t=2.345678')
  await player(page).getByRole('button', { name: 'Copy a link to this moment' }).click()
  // The button writes the link asynchronously.
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await expect.poll(copied).toContain('t=2.345678')
  const link = await copied()
  await page.goto('/')
  await page.goto(link)
  await expect(page.getByTestId('moment')).toHaveAttribute('data-ms', '2345.678')
  const [frame] = (await demoFrames(page)).slice(50)
  await page.goto(`/sessions/demo?t=${frame?.position ?? ''}`)
  await expect(page.getByTestId('moment')).toHaveAttribute('data-ms', String(frame?.offset_ms))
})

test('a session that does not exist is reported', async ({ page, expectErrors }) => {
  expectErrors(/status of 404/)
  await page.goto('/sessions/nobody')
  await expect(page.getByRole('alert')).toContainText('There is no session "nobody"')
  await expect(page.getByRole('link', { name: 'All sessions' })).toBeVisible()
})
