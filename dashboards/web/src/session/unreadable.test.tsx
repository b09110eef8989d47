// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Schemas } from '../api/client'
import { renderAt } from '../testing/render'
import { Unreadable } from './unreadable'

function show(notJSON: readonly number[], runs: number) {
  const session = {
    streams: notJSON.map((not_json) => ({ counters: { not_json } })),
    totals: { runs },
  } as unknown as Schemas['SessionDetail']
  renderAt('/', <Unreadable session={session} />)
}

test('a session without a run says how many of its frames are not JSON', () => {
  show([1200, 18], 0)
  expect(screen.getByText('1,218 frames are not JSON, and nothing is concluded from them.')).toBeTruthy()
})

test('it says nothing of a session that was read', () => {
  show([3], 1)
  expect(screen.queryByText(/not JSON/)).toBeNull()
})
