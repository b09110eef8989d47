// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Schemas } from '../../api/client'
import { renderAt } from '../../testing/render'
import LimitsTable from './limitstable'

type Limit = Schemas['SessionDetail']['limits'][number]

const none: Limit = {
  dialect: 'codex-rollout',
  name: 'primary',
  plan: '',
  window_s: null,
  used_percent: null,
  used: null,
  max: null,
  balance: null,
  unlimited: false,
  status: '',
  resets_at: null,
  stated_at: '2026-03-02T10:00:00Z',
}

function rows(...limits: Partial<Limit>[]) {
  const now = new Date('2026-03-02T10:05:00Z')
  renderAt('/', <LimitsTable limits={limits.map((limit) => ({ ...none, ...limit }))} now={now} />)
  return screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent).slice(0, 5))
}

test('limits have what was stated of them', () => {
  expect(
    rows(
      { name: 'five_hour', window_s: 18_000, used_percent: 55.4, status: 'allowed_warning' },
      { name: 'premium_interactions', used: 477, max: 1500, used_percent: 31.8 },
      { name: 'credits', plan: 'plus', balance: '12.50' },
      { name: 'chat', unlimited: true, window_s: 604_800 },
      { name: 'odd', used: 3, window_s: 61 },
      { name: 'nearly', used_percent: 99.6 },
      { name: 'hardly', used_percent: 0.4 },
      { name: 'beyond', used_percent: 103.6 },
    ),
  ).toEqual([
    ['five_hour', '–', '5 h', '55 %', 'allowed_warning'],
    ['premium_interactions', '–', '–', '32 %, 477 of 1,500', '–'],
    ['credits', 'plus', '–', '12.50 left', '–'],
    ['chat', '–', '7 d', 'unlimited', '–'],
    ['odd', '–', '61 s', '3', '–'],
    ['nearly', '–', '–', '99.6 %', '–'],
    ['hardly', '–', '–', '0.4 %', '–'],
    ['beyond', '–', '–', '104 %', '–'],
  ])
})

test('a window that was reset says so', () => {
  rows({ resets_at: '2026-03-02T10:04:00Z' }, { name: 'secondary', resets_at: '2026-03-02T11:00:00Z' })
  expect(screen.getAllByText(/^was reset/)).toHaveLength(1)
})
