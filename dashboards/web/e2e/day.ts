/**
 * Runs of the day before a moment, ms: AG-UI events with times. Each hour has some tool calls, that
 * take longer while more is done.
 */
export function dayOfRuns(now: number): string {
  const hour = 3_600_000
  const lines: string[] = []
  let chance = 7 // always the same one
  const random = () => (chance = (chance * 48_271) % 2_147_483_647) / 2_147_483_647
  for (let back = 22; back > 0; back--) {
    let at = now - back * hour
    const say = (type: string, body: object) =>
      lines.push(JSON.stringify({ type, timestamp: Math.round(at), ...body }))
    const [threadId, runId] = ['day', `r${back}`]
    const busy = 1 + Math.sin((back / 22) * Math.PI) * 6
    say('RUN_STARTED', { threadId, runId })
    for (let call = 0; call < 6 * busy; call++) {
      const toolCallId = `${runId}-${call}`
      at += 800 + random() * 4000
      say('TOOL_CALL_START', { toolCallId, toolCallName: ['read', 'bash', 'search', 'edit'][call % 4] })
      say('TOOL_CALL_ARGS', { toolCallId, delta: `{"path":"src/part${call}.ts"}` })
      say('TOOL_CALL_END', { toolCallId })
      at += (80 + random() * 400) * busy * (random() > 0.92 ? 4 : 1)
      say('TOOL_CALL_RESULT', { messageId: `m${toolCallId}`, toolCallId, content: `${40 + call} lines` })
    }
    say('RUN_FINISHED', { threadId, runId })
  }
  return `${lines.join('\n')}\n`
}
