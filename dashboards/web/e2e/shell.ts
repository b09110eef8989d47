import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { program } from './server'

/** What the shell shows before it takes a command: an empty row, and a green sign. */
const prompt = '\\n\\[\\e[32m\\]$\\[\\e[0m\\] '
const shownPrompt = '\x1b[32m$\x1b[0m '

/**
 * A shell on a pseudo-terminal, at which commands are typed as a person types them. The terminal is one of `script`
 * of util-linux. The shell has its home in a folder of the caller and nothing of this process's environment.
 */
export class Shell {
  private readonly child: ChildProcess
  private shown = ''

  constructor(server: string, home: string, columns: number, rows: number, listener: (text: string) => void) {
    const bash = `stty cols ${columns} rows ${rows}; exec bash --noprofile --norc -i`
    this.child = spawn('script', ['--quiet', '--return', '--flush', '--command', bash, '/dev/null'], {
      cwd: home,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        HOME: home,
        LANG: 'C.UTF-8',
        PATH: [dirname(program), '/usr/bin', '/bin'].join(delimiter),
        PS1: prompt,
        TAPEDECK_SERVER: server,
        TERM: 'xterm-256color',
        TZ: 'UTC',
      },
    })
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.shown += text
      listener(text)
    })
  }

  /** Types a command, and waits for a text that its output has, or else for the next prompt. */
  async run(command: string, until?: string): Promise<void> {
    await this.prompted()
    await pause(300)
    for (const [i, key] of Array.from(command).entries()) {
      this.child.stdin?.write(key)
      await pause(key === ' ' ? 55 : 20 + ((i * 7) % 4) * 8)
    }
    await pause(250)
    this.shown = ''
    this.press('\r')
    if (until === undefined) await this.prompted()
    else await this.showed((text) => text.includes(until))
  }

  /** Presses a key that the program in the terminal takes at once. */
  press(key: string): void {
    this.child.stdin?.write(key)
  }

  /** Ends the shell: by the end of its input, or by a signal if a program that it runs does not end so. */
  async end(): Promise<void> {
    this.child.stdin?.end()
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const late = setTimeout(() => this.child.kill(), 5_000)
    await once(this.child, 'exit')
    clearTimeout(late)
  }

  private prompted(): Promise<void> {
    return this.showed((text) => text.endsWith(shownPrompt))
  }

  private async showed(condition: (text: string) => boolean): Promise<void> {
    const deadline = Date.now() + 60_000
    while (!condition(this.shown)) {
      if (Date.now() > deadline) throw new Error(`the shell does not go on after:\n${this.shown}`)
      await pause(20)
    }
  }
}
