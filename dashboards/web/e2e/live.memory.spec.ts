import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { CDPSession } from '@playwright/test'
import { program } from './server'
import { expect, test } from './test'

/**
 * How long a session is watched while it grows, minutes. It takes its time, so it is asked for:
 * TAPEDECK_MEMORY_MINUTES=10 npx playwright test live.memory.
 */
const minutes = Number(process.env['TAPEDECK_MEMORY_MINUTES'] ?? 0)
/** What the page may keep of each frame: the text, and when which piece of it came; bytes. */
const perFrame = 200
/** What measuring itself is off by, bytes. */
const slack = 1.5e6

interface Held {
  heap: number
  nodes: number
  listeners: number
}

/** What the page holds once its garbage is collected. */
async function held(devtools: CDPSession): Promise<Held> {
  // What a first pass finalises is free after a second one.
  for (let i = 0; i < 2; i++) await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? NaN
  return { heap: of('JSHeapUsedSize'), nodes: of('Nodes'), listeners: of('JSEventListeners') }
}

for (const tab of ['Timeline', 'Frames'])
  test(`watching a live session beside its ${tab.toLowerCase()} does not take ever more memory`, async ({
    page,
    baseURL,
  }) => {
    test.skip(minutes === 0, 'asked for with TAPEDECK_MEMORY_MINUTES')
    test.setTimeout(minutes * 60_000 + 120_000)
    const session = `memory-${tab}-${Date.now()}`
    const recorder = spawn(program, ['record', '--server', baseURL ?? '', '--session', session, '-'], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    let frames = 0
    const say = (type: string, body: object) => {
      frames++
      recorder.stdin.write(`${JSON.stringify({ type, ...body })}\n`)
    }
    say('RUN_STARTED', { threadId: 't', runId: 'r' })
    // Fifty frames a second: answers of forty words, each with a tool call.
    const beat = setInterval(() => {
      const [turn, word] = [Math.floor(frames / 44), frames % 44]
      const [messageId, toolCallId] = [`m${turn}`, `c${turn}`]
      if (word === 1) say('TEXT_MESSAGE_START', { messageId, role: 'assistant' })
      else if (word === 41) say('TEXT_MESSAGE_END', { messageId })
      else if (word === 42) say('TOOL_CALL_START', { toolCallId, toolCallName: 'read' })
      else if (word === 43) say('TOOL_CALL_END', { toolCallId })
      else if (word === 0)
        say('TOOL_CALL_RESULT', { messageId: `t${turn}`, toolCallId: `c${turn - 1}`, content: 'result' })
      else say('TEXT_MESSAGE_CONTENT', { messageId, delta: `word ${turn}.${word} ` })
    }, 20)
    try {
      await expect.poll(async () => (await page.request.get(`/v1/sessions/${session}`)).status()).toBe(200)
      await page.goto(`/sessions/${session}`)
      await expect(page.getByRole('region', { name: 'Conversation' })).toContainText('word')
      await page.getByRole('tab', { name: tab }).click()
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Performance.enable')
      await devtools.send('HeapProfiler.enable')
      const measured: (Held & { frames: number })[] = []
      const looks = 8
      for (let i = 0; i <= looks; i++) {
        if (i > 0) await page.waitForTimeout((minutes * 60_000) / looks) // the interval of measuring
        measured.push({ frames, ...(await held(devtools)) })
      }
      for (const { frames, heap, nodes, listeners } of measured)
        console.log(
          `${tab}: ${frames} frames, ${(heap / 1e6).toFixed(2)} MB, ${nodes} nodes, ${listeners} listeners`,
        )
      // The first quarter fills what is bounded: the rows in sight, the pages kept for a while.
      const [early, late] = [measured[looks / 4], measured[looks]]
      if (early === undefined || late === undefined) throw new Error('nothing was measured')
      expect(late.heap - early.heap).toBeLessThan(slack + (late.frames - early.frames) * perFrame)
      expect(late.nodes).toBeLessThan(early.nodes * 1.5 + 500)
      expect(late.listeners).toBeLessThan(early.listeners * 1.5 + 100)
    } finally {
      clearInterval(beat)
      recorder.stdin.end()
      if (recorder.exitCode === null) await once(recorder, 'exit')
    }
  })
