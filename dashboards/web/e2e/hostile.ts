import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { program, startServer } from './server'

/** Reads the server's list of sessions, as an attacker's script would, and shows in the title that it could. */
const script = `
document.title = 'script ran'
fetch('/v1/sessions').then((r) => r.text()).then((text) => {
  if (text.includes('"items"')) document.title = 'read ' + text.length
})
if (navigator.serviceWorker) navigator.serviceWorker.register('worker.js', { scope: '/' }).catch(() => {})
`

/** What a hostile upstream answers, by path: a page, a script, a picture with a script, a worker, and data. */
const answers: Record<string, { type: string; body: string; headers?: Record<string, string> }> = {
  '/page.html': { type: 'text/html', body: `<!doctype html><script>${script}</script>` },
  '/script.js': { type: 'text/javascript', body: script },
  '/picture.svg': {
    type: 'image/svg+xml',
    body: `<svg xmlns="http://www.w3.org/2000/svg"><script>${script}</script></svg>`,
  },
  '/worker.js': {
    type: 'text/javascript',
    body: "self.addEventListener('fetch', (e) => e.respondWith(new Response('taken over')))",
    headers: { 'Service-Worker-Allowed': '/' },
  },
  '/refresh': { type: 'text/plain', body: 'wait', headers: { Refresh: '0; url=page.html' } },
  '/data.json': {
    type: 'application/json',
    body: '{"answer":42}',
    headers: { 'Set-Cookie': 'planted=1; Path=/', 'X-Request-Id': 'req-7' },
  },
}

export const hostilePaths = Object.keys(answers)

/** Records what a hostile upstream answers on a server of its own, and returns the tape file. */
export async function hostileTape(session: string): Promise<string> {
  const upstream = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    if (answer === undefined) return response.writeHead(404).end()
    return response.writeHead(200, { 'Content-Type': answer.type, ...answer.headers }).end(answer.body)
  })
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const server = await startServer()
  try {
    await pass(server.url, session, (upstream.address() as AddressInfo).port)
    const tape = join(mkdtempSync(join(tmpdir(), 'tapedeck-e2e-')), 'hostile.tape')
    execFileSync(program, ['export', session, '--server', server.url, '-o', tape], { stdio: 'ignore' })
    return tape
  } finally {
    upstream.close()
    await server.stop()
  }
}

/** Asks an upstream for all there is, through the recording proxy. */
async function pass(server: string, session: string, port: number): Promise<void> {
  const args = ['--server', server, '--upstream', `http://127.0.0.1:${port}`, '--session', session]
  const child = spawn(program, ['proxy', '--listen', '127.0.0.1:0', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const proxy = await said(child, /http:\S+(?= records)/)
  for (const path of hostilePaths) await (await fetch(proxy + path)).text()
  child.kill('SIGTERM')
  await once(child, 'exit')
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    const answer = await fetch(`${server}/v1/sessions/${session}`)
    const streams = answer.ok
      ? ((await answer.json()) as { streams: { ended: string | null }[] }).streams
      : []
    if (streams.filter((stream) => stream.ended !== null).length === hostilePaths.length) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error('what passed the proxy was not recorded')
}

/** The first line of standard error that matches, as far as it does. */
export async function said(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (child.stderr === null) throw new Error('standard error is not piped')
  let all = ''
  for await (const line of createInterface({ input: child.stderr })) {
    const found = pattern.exec(line)
    if (found !== null) return found[0]
    all += `${line}\n`
  }
  throw new Error(`the command ended and said:\n${all}`)
}
