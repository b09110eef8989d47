import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The program under test, as `make build` leaves it. */
export const program = fileURLToPath(new URL('../../../bin/tapedeck', import.meta.url))

export interface Server {
  url: string
  stop(): Promise<void>
}

/** Starts `tapedeck up` on a free port with a data directory of its own, and waits until it is ready. */
export async function startServer(args: string[] = []): Promise<Server> {
  const data = mkdtempSync(join(tmpdir(), 'tapedeck-e2e-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(program, ['up', '--data', data, '--listen', `127.0.0.1:${port}`, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (text: Buffer) => (said += text.toString()))
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    rmSync(data, { recursive: true, force: true })
  }
  const deadline = Date.now() + 120_000
  while (!(await isReady(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`tapedeck up is not ready; it said:\n${said}`)
    }
    await new Promise((done) => setTimeout(done, 100))
  }
  return { url, stop }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  server.close()
  await once(server, 'close')
  return address.port
}
