// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Schemas } from '../../api/client'
import { renderAt } from '../../testing/render'
import { session as plain } from '../../testing/session'
import { noTokens } from '../../testing/tokens'
import { Discrepancies } from './discrepancies'

const money = { amount: '0.5', currency: 'USD' }

test.each([
  { calls: 0, total: 0, cost: null, unpriced: 0, says: 'Nothing is missing from the recording.' },
  { calls: 2, total: 5, cost: null, unpriced: 2, says: 'Nothing is missing, and all token counts add up.' },
  { calls: 2, total: 5, cost: money, unpriced: 1, says: 'Nothing is missing, and all token counts add up.' },
  { calls: 2, total: 5, cost: money, unpriced: 0, says: 'Nothing is missing, and all figures add up.' },
])('$calls calls, $unpriced of them without a cost: $says', ({ calls, total, cost, unpriced, says }) => {
  const session = {
    ...plain(),
    discrepancies: [],
    totals: { calls, cost, unpriced_calls: unpriced, tokens: { ...noTokens, total } },
  } as unknown as Schemas['SessionDetail']
  renderAt('/', <Discrepancies session={session} />)
  expect(screen.getByText(says)).toBeTruthy()
})
