import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The program under test, as `make build` leaves it. */
export const program = fileURLToPath(new URL('../../../bin/tapedeck', import.meta.url))

export interface Server {
  url: string
  /** Its data directory. */
  data: string
  /** Ends it and leaves its data, so that it can be back. */
  leave(): Promise<void>
  /** Starts it again, at the same address with the same data. */
  comeBack(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts `tapedeck up` on a free port with a data directory of its own, and waits until it is ready. Arguments that
 * depend on its address are a function: the port is chosen before the start then, and another program may take it
 * meanwhile. Otherwise the server chooses its port.
 */
export async function startServer(
  args: string[] | ((url: string) => Promise<string[]>) = [],
): Promise<Server> {
  const data = mkdtempSync(join(tmpdir(), 'tapedeck-e2e-'))
  let url = typeof args === 'function' ? `http://127.0.0.1:${await freePort()}` : ''
  let child: ChildProcess
  const leave = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  const start = async (args: string[]) => {
    const listen = url === '' ? '127.0.0.1:0' : new URL(url).host
    child = spawn(program, ['up', '--data', data, '--listen', listen, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => (said += text.toString()))
    const deadline = Date.now() + 120_000
    for (;;) {
      if (url === '') url = announced(data, child.pid)
      if (url !== '' && (await isReady(url))) return
      if (child.exitCode !== null || Date.now() > deadline) {
        await leave()
        throw new Error(`tapedeck up is not ready; it said:\n${said}`)
      }
      await new Promise((done) => setTimeout(done, 100))
    }
  }
  const stop = async () => {
    await leave()
    rmSync(data, { recursive: true, force: true })
  }
  try {
    await start(typeof args === 'function' ? await args(url) : args)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, data, leave, comeBack: () => start([]), stop }
}

/** The address that the server has stored in its data directory, beside its process id; "" before it listens. */
function announced(data: string, pid: number | undefined): string {
  try {
    const note = JSON.parse(readFileSync(join(data, 'runtime.json'), 'utf8')) as {
      pid: number
      address?: string
    }
    return note.pid === pid ? (note.address ?? '') : ''
  } catch {
    return ''
  }
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
