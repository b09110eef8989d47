import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { screensOf, type Output } from './screens'
import { ended } from './recording'
import { program, startServer } from './server'
import { Shell } from './shell'
import { terminalPicture } from './terminalpicture'
import { expect, test } from './test'

const picture = fileURLToPath(new URL('../../../docs/screenshots/terminal.svg', import.meta.url))

const [columns, rows] = [96, 24]

/** Silences are as long as this at most, in milliseconds, as with `tapedeck play --idle-limit`. */
const idleLimit = 1_500

/** How long output is left to be read, in milliseconds. */
const toRead = 1_500

/**
 * Types commands at a shell on a terminal. The terminal's output goes to standard input of `tapedeck record` at the
 * moment it is written, as lines of an asciicast, each of which is a frame. `tapedeck record --pty` would not do: its
 * frames are the lines of the output, and a screen changes within lines.
 */
async function typeAndRecord(server: string, recorder: string, home: string): Promise<void> {
  const record = spawn(program, ['record', '--server', recorder, '--session', 'terminal', '-'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, HOME: home },
  })
  const recorded = once(record, 'exit')
  const line = (value: unknown) => {
    if (record.stdin.writable) record.stdin.write(JSON.stringify(value) + '\n')
  }
  const began = performance.now()
  line({ version: 2, width: columns, height: rows })
  const shell = new Shell(server, home, columns, rows, (text) =>
    line([(performance.now() - began) / 1000, 'o', text]),
  )
  try {
    await shell.run('tapedeck record --session build-43 -- tapedeck demo --for 1s')
    await pause(toRead)
    shell.press('\f') // clears the screen
    await shell.run('tapedeck sessions')
    await pause(toRead)
    await shell.run('tapedeck play demo', '\u25a0') // the player shows this sign at the end of the session
    await pause(toRead)
    shell.press('q')
    await shell.run('tapedeck usage --group-by session')
    await pause(300)
  } finally {
    record.stdin.end() // before the shell says that it ends
    await shell.end()
  }
  expect(await recorded).toEqual([0, null])
}

/** Returns what the recorded terminal showed, at the times of the recording. */
async function playedOutput(recorder: string): Promise<Output[]> {
  const { stdout } = await promisify(execFile)(
    program,
    ['play', 'terminal', '--server', recorder, '--format', 'events', '--speed', 'max'],
    { maxBuffer: 1 << 28 },
  )
  const output: Output[] = []
  let [at, before] = [0, 0]
  for (const text of stdout.trimEnd().split('\n')) {
    const event = JSON.parse(text) as { offset_ms: number; frame?: unknown }
    if (!Array.isArray(event.frame)) continue
    if (output.length > 0) at += Math.min(event.offset_ms - before, idleLimit)
    before = event.offset_ms
    output.push({ at, text: String(event.frame[2]) })
  }
  return output
}

test('a terminal', async ({ page }) => {
  test.setTimeout(600_000)
  const home = mkdtempSync(join(tmpdir(), 'tapedeck-terminal-'))
  const server = await startServer(['--demo'])
  const recorder = await startServer()
  try {
    for (const session of ['demo', 'demo-release', 'demo-release-failed'])
      await expect.poll(() => ended(page.request, session, server.url), { timeout: 60_000 }).toBe(true)
    await typeAndRecord(server.url, recorder.url, home)
    const screens = await screensOf(await playedOutput(recorder.url), columns, rows)
    const svg = terminalPicture(screens, columns, rows, 'tapedeck in a terminal')
    for (const own of [home, homedir(), server.url, recorder.url]) expect(svg).not.toContain(own)
    expect(svg.length).toBeLessThan(150_000)
    writeFileSync(picture, svg)
  } finally {
    await recorder.stop()
    await server.stop()
    rmSync(home, { recursive: true, force: true })
  }
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(pathToFileURL(picture).href)
  await expect(page.locator('#screens > g').last()).toBeInViewport({ ratio: 1 })
})
