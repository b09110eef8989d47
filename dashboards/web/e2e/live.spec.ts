import { spawn, type ChildProcess } from 'node:child_process'
import type { Page } from '@playwright/test'
import { program } from './server'
import { expect, test } from './test'

/**
 * Records a session as a program would that says something ten times a second. What an open message has
 * grown to is stored now and then while more of it comes, so that a word is not the last one for long.
 */
class Recorder {
  private readonly child: ChildProcess
  private readonly left: Promise<number | null>
  private readonly beat: ReturnType<typeof setInterval>
  private n = 0

  constructor(server: string, session: string) {
    this.child = spawn(program, ['record', '--server', server, '--session', session, '-'], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    this.left = new Promise((done) => this.child.on('exit', done))
    this.line({ type: 'run_start', run_id: 'r1', message: 'Count, please', agent: 'react' })
    this.beat = setInterval(() => this.say('and'), 100)
  }

  /** Writes a word of an answer. */
  say(word: string) {
    this.line({ type: 'message_chunk', content: `${word} `, id: 'think' })
  }

  async end() {
    clearInterval(this.beat)
    this.line({ reply: 'done' })
    this.child.stdin?.end()
    expect(await this.left).toBe(0)
  }

  private line(body: object) {
    const envelope = { session_id: 'own', node_id: 'run-think-0', event_id: ++this.n }
    this.child.stdin?.write(JSON.stringify({ ...envelope, ...body }) + '\n')
  }
}

const player = (page: Page) => page.getByRole('region', { name: 'Player' })
const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' })

async function moment(page: Page): Promise<number> {
  return Number(await page.getByTestId('moment').getAttribute('data-ms'))
}

test('a running session is watched, paused, rewound and watched again until it ends', async ({
  page,
  baseURL,
}, info) => {
  const session = `live-${info.repeatEachIndex}-${info.retry}-${Date.now()}`
  const recorder = new Recorder(baseURL ?? '', session)
  recorder.say('one')
  await expect.poll(async () => (await page.request.get(`/v1/sessions/${session}`)).status()).toBe(200)
  await page.goto(`/sessions/${session}`)
  await expect(player(page).getByText('Live', { exact: true })).toBeVisible()
  await expect(conversation(page)).toContainText('one')

  // What arrives is shown as it does.
  recorder.say('two')
  await expect(conversation(page)).toContainText('two')
  recorder.say('three')
  await expect(conversation(page)).toContainText('three')

  // Paused, the moment stands, whatever arrives.
  await player(page).getByRole('button', { name: 'Pause' }).click()
  await expect(player(page).getByRole('button', { name: 'Back to live' })).toBeVisible()
  const paused = await moment(page)
  recorder.say('four')
  const length = player(page).getByRole('slider', { name: 'Moment' })
  await expect.poll(async () => Number(await length.getAttribute('aria-valuemax'))).toBeGreaterThan(paused)
  await expect(conversation(page)).not.toContainText('four')

  // Rewound to before anything was said, and played from there.
  await page.keyboard.press('Home')
  await expect(conversation(page)).not.toContainText('three')
  await page.keyboard.press('k')
  await expect(player(page).getByRole('button', { name: 'Pause' })).toBeVisible()
  await expect.poll(() => moment(page)).toBeGreaterThan(0)

  // Live again, with all that came meanwhile.
  await player(page).getByRole('button', { name: 'Back to live' }).click()
  await expect(player(page).getByText('Live', { exact: true })).toBeVisible()
  await expect(conversation(page)).toContainText('four')
  recorder.say('five')
  await expect(conversation(page)).toContainText('five')

  // Its end ends it.
  await recorder.end()
  await expect(player(page).getByText('Live', { exact: true })).toBeHidden()
  await expect(player(page).getByRole('button', { name: 'Play' })).toBeVisible()
  await expect(conversation(page)).toContainText('five')
  await expect(page.getByRole('banner').or(page.locator('header')).getByText('OK')).toBeVisible()
})
