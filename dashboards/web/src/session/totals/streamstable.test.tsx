// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Schemas } from '../../api/client'
import { renderAt } from '../../testing/render'
import { StreamsTable } from './streamstable'

const counters = {
  not_json: 0,
  invalid_utf8: 0,
  oversize: 0,
  unknown: 0,
  lost: 0,
  repeated: 0,
  back: 0,
}

function show(...redacted: Record<string, number>[]) {
  const streams = redacted.map((masked, i) => ({
    stream_id: `stream ${i}`,
    source: '',
    dialect: 'loom',
    evidence: '',
    transport: 'ndjson',
    frames: 2,
    bytes: 20,
    ended: null,
    end_reason: '',
    counters,
    redacted: masked,
  })) as unknown as Schemas['Stream'][]
  renderAt('/', <StreamsTable streams={streams} />)
}

test('streams list how many secrets were masked, by rule', () => {
  show({ 'openai-key': 2, jwt: 1 }, {})
  const [, first, second] = screen.getAllByRole('row').map((row) => row.textContent)
  expect(first).toMatch(/^stream 0.*none1 jwt, 2 openai-key$/)
  expect(second).toMatch(/^stream 1.*nonenone$/)
})

test('without masked secrets there is no column for them', () => {
  show({})
  expect(screen.queryByText('Masked secrets')).toBeNull()
})
