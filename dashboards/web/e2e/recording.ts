import { request as httpRequest, type ClientRequest } from 'node:http'
import { once } from 'node:events'
import { expect, type APIRequestContext } from '@playwright/test'

/** Records lines into a session, and waits until it can be read. */
export async function record(
  api: APIRequestContext,
  session: string,
  lines: readonly unknown[],
  tags: readonly string[] = [],
  /** Where the times come from. */
  clock: 'arrival' | 'frame' = 'arrival',
): Promise<void> {
  const params = new URLSearchParams([
    ['session', session],
    ['clock', clock],
    ...tags.map((tag) => ['tag', tag]),
  ])
  const answer = await api.post(`/v1/ingest?${params.toString()}`, {
    headers: { 'Content-Type': 'application/x-ndjson' },
    data: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  })
  expect(answer.ok()).toBe(true)
  await expect.poll(() => ended(api, session)).toBe(true)
}

/** Whether a session can be read to its end. */
export async function ended(api: APIRequestContext, session: string, server = ''): Promise<boolean> {
  const answer = await api.get(`${server}/v1/sessions/${encodeURIComponent(session)}`)
  if (!answer.ok()) return false
  const { streams } = (await answer.json()) as { streams: { ended: string | null }[] }
  return streams.length > 0 && streams.every((stream) => stream.ended !== null)
}

/** A recording that goes on until it is ended: lines are sent as they are asked for. */
export class LiveRecording {
  private constructor(private readonly request: ClientRequest) {}

  static async begin(server: string, session: string): Promise<LiveRecording> {
    const request = httpRequest(`${server}/v1/ingest?session=${encodeURIComponent(session)}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
    })
    const live = new LiveRecording(request)
    live.send(1)
    await once(request, 'socket')
    return live
  }

  send(frames: number): void {
    for (let i = 0; i < frames; i++) this.request.write('{"type":"tick"}\n')
  }

  async end(): Promise<void> {
    const answered = once(this.request, 'response')
    this.request.end()
    await answered
  }
}
