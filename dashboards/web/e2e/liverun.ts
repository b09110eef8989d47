import { spawn, type ChildProcess } from 'node:child_process'
import { program } from './server'

/** A run of an AG-UI agent, recorded line by line as a test writes it. */
export class LiveRun {
  private readonly child: ChildProcess
  private readonly left: Promise<unknown>

  constructor(server: string, session: string) {
    this.child = spawn(program, ['record', '--server', server, '--session', session, '-'], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    this.left = new Promise((done) => this.child.on('exit', done))
    this.line('RUN_STARTED', { threadId: 'own', runId: 'r1' })
  }

  say(text: string) {
    const messageId = `m${Math.random()}`
    this.line('TEXT_MESSAGE_START', { messageId, role: 'assistant' })
    this.line('TEXT_MESSAGE_CONTENT', { messageId, delta: text })
    this.line('TEXT_MESSAGE_END', { messageId })
  }

  /** Calls a tool, which runs until it has its result. */
  call(toolCallId: string, toolCallName: string, args: string) {
    this.line('TOOL_CALL_START', { toolCallId, toolCallName })
    this.line('TOOL_CALL_ARGS', { toolCallId, delta: args })
    this.line('TOOL_CALL_END', { toolCallId })
  }

  result(toolCallId: string, content: string) {
    this.line('TOOL_CALL_RESULT', { messageId: `result ${toolCallId}`, toolCallId, content })
  }

  async end() {
    this.line('RUN_FINISHED', { threadId: 'own', runId: 'r1' })
    this.child.stdin?.end()
    await this.left
  }

  private line(type: string, body: object) {
    this.child.stdin?.write(JSON.stringify({ type, ...body }) + '\n')
  }
}
