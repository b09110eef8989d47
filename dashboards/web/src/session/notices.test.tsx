// @vitest-environment jsdom
import { cleanup, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Schemas } from '../api/client'
import { renderAt } from '../testing/render'
import { Notices } from './notices'

/** Shows the notices of a session with streams in which secrets were masked. */
function show(redacted: Record<string, number>[], change: Partial<Schemas['SessionDetail']> = {}) {
  const session = { id: 'demo', streams: redacted.map((one) => ({ redacted: one })), ...change }
  renderAt('/sessions/demo', <Notices session={session as Schemas['SessionDetail']} error={null} />)
  return screen.getByRole('status').textContent
}

test('an ordinary session has no notice', () => {
  expect(show([{}, {}])).toBe('')
})

test('a session of spans says so, one with a recorded stream does not', () => {
  const [spans, stream] = ['otlp', 'loom'].map((dialect) => ({ dialect, redacted: {} }))
  const of = (...streams: unknown[]) => show([], { streams: streams as Schemas['SessionDetail']['streams'] })
  expect(of(spans, spans)).toContain('This session comes from spans: it has no recorded stream.')
  cleanup()
  expect(of(spans, stream)).toBe('')
})

test('masked secrets are counted over streams, by rule', () => {
  const text = show([{ 'aws-key': 2, email: 1 }, { email: 4 }])
  expect(text).toContain('7 secrets are masked in the frames of this session.')
  expect(text).toContain('Found by the rules email (5), aws-key (2).')
  expect(text).toContain('[redacted:aws-key#1]')
})

test('expired frames are explained', () => {
  const text = show([{}], { frames_expired_at: '2026-04-01T12:00:00Z' })
  expect(text).toMatch(/expired on .*: it cannot be played\./)
  expect(text).toContain('A retention policy limits how long')
  expect(screen.queryByRole('link')).toBeNull() // for whom may not change policies
})
