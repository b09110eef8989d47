/**
 * A recording to measure with: AG-UI events with times, so that it can be recorded at once and
 * plays for as long as it says. Answers of 40 chunks, each with a tool call; every tenth call fails.
 */
export function longRun(frames: number, perSecond: number): string {
  const lines: string[] = []
  const start = Date.UTC(2026, 0, 2, 3, 4, 5)
  const say = (type: string, body: Record<string, unknown>) =>
    lines.push(
      JSON.stringify({ type, timestamp: start + Math.round((lines.length * 1000) / perSecond), ...body }),
    )
  say('RUN_STARTED', { threadId: 'long', runId: 'r1' })
  for (let turn = 0; lines.length < frames - 48; turn++) {
    const [message, call] = [`m${turn}`, `c${turn}`]
    say('TEXT_MESSAGE_START', { messageId: message, role: 'assistant' })
    for (let i = 0; i < 40; i++)
      say('TEXT_MESSAGE_CONTENT', { messageId: message, delta: ` word ${turn}.${i}` })
    say('TEXT_MESSAGE_END', { messageId: message })
    say('TOOL_CALL_START', { toolCallId: call, toolCallName: turn % 3 === 0 ? 'bash' : 'read' })
    say('TOOL_CALL_ARGS', { toolCallId: call, delta: `{"path":"src/file${turn}.ts"}` })
    say('TOOL_CALL_END', { toolCallId: call })
    say('TOOL_CALL_RESULT', { messageId: `t${turn}`, toolCallId: call, content: `result of ${turn}` })
  }
  while (lines.length < frames - 1) say('CUSTOM', { name: 'filler', value: lines.length })
  say('RUN_FINISHED', { threadId: 'long', runId: 'r1' })
  return lines.join('\n') + '\n'
}
