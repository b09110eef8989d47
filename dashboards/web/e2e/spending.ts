import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { program } from './server'

/** A call of a model: how long after the one before it, and its tokens. */
export interface Call {
  model: string
  input: number
  cacheRead?: number
  cacheWrite?: number
  output: number
}

/** Lines of the file in which Claude Code keeps a conversation: calls from a time on, one each five seconds. */
export function conversation(session: string, at: number, calls: readonly Call[]): string {
  let now = at
  let last: string | null = null
  const lines: string[] = []
  const say = (type: 'user' | 'assistant', body: object) => {
    const uuid = `${session}-${lines.length}`
    lines.push(
      JSON.stringify({
        ...{ parentUuid: last, isSidechain: false, userType: 'external', cwd: '/p', sessionId: session },
        ...{ version: '2.0.1', type, uuid, timestamp: new Date(now).toISOString(), ...body },
      }),
    )
    last = uuid
    now += 2500
  }
  for (const [i, { model, input, cacheRead = 0, cacheWrite = 0, output }] of calls.entries()) {
    say('user', { message: { role: 'user', content: `Task ${i + 1}` } })
    say('assistant', {
      requestId: `req-${session}-${i}`,
      message: {
        ...{ id: `msg-${session}-${i}`, type: 'message', role: 'assistant', model },
        content: [{ type: 'text', text: `Result ${i + 1}` }],
        stop_reason: 'end_turn',
        usage: {
          input_tokens: input,
          cache_read_input_tokens: cacheRead,
          cache_creation_input_tokens: cacheWrite,
          output_tokens: output,
          service_tier: 'standard',
        },
      },
    })
  }
  return lines.map((line) => `${line}\n`).join('')
}

/** Records a conversation at the times of its lines. */
export async function spend(
  server: string,
  session: string,
  at: number,
  calls: readonly Call[],
  tags: readonly string[] = [],
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'tapedeck-spend-'))
  try {
    const file = join(dir, `${session}.jsonl`)
    writeFileSync(file, conversation(session, at, calls))
    const tagged = tags.flatMap((tag) => ['--tag', tag])
    await promisify(execFile)(
      program,
      ['record', '--session', session, '--clock', 'frame', ...tagged, file],
      {
        env: { ...process.env, TAPEDECK_SERVER: server },
      },
    )
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const customers = ['acme', 'globex', 'initech'] as const
const models = ['claude-sonnet-4-5', 'claude-haiku-4-5', 'claude-opus-4-6', 'claude-sonnet-4-5'] as const
/** A model that the price table does not have. */
const unpriced = 'claude-next-preview'

/** Records what three customers spent on several models in the weeks before a time, ms. */
export async function weeksOfSpending(server: string, now: number, days = 34): Promise<void> {
  let chance = 11 // always the same one
  const upTo = (most: number) => {
    chance = (chance * 48_271) % 2_147_483_647
    return Math.floor((chance / 2_147_483_647) * most)
  }
  for (let back = days; back > 0; back -= 2)
    for (const customer of customers) {
      const calls = Array.from({ length: 3 + upTo(5) }, (): Call => ({
        model:
          (customer === 'initech' && upTo(9) === 0 ? undefined : models[upTo(models.length)]) ?? unpriced,
        input: 200 + upTo(6000),
        cacheRead: upTo(90_000),
        cacheWrite: 2000,
        output: 100 + upTo(3000),
      }))
      const at = now - back * 86_400_000 + upTo(30_000_000)
      const team = customer === 'globex' ? 'search' : 'support'
      await spend(server, `${customer}-${back}`, at, calls, [`customer=${customer}`, `team=${team}`])
    }
}
