import { spawn, type ChildProcess } from 'node:child_process'
import { expect } from '@playwright/test'
import { program } from './server'

/**
 * Records a session as a program would that says something ten times a second. What an open message has
 * grown to is stored now and then while more of it comes, so that a word is not the last one for long.
 */
export class Recorder {
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
