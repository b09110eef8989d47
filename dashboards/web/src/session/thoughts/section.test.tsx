// @vitest-environment jsdom
import { fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderAt } from '../../testing/render'
import { PlayerContext } from '../player/context'
import type { Player } from '../player/player'
import type { Drawing } from './drawing'
import { DrawingSection } from './section'

const hostile = '<img src=x onerror="alert(1)"><script>alert(1)</script>'

const drawing: Drawing = {
  kind: 'graph',
  key: 'k',
  thoughts: [
    { id: 'a', title: hostile, text: hostile, score: null, mark: 'complete', at: 10 },
    { id: 'b', title: 'b', text: '', score: 0.5, mark: 'planned', at: 20 },
  ],
  edges: [
    { from: 'a', to: 'b', stated: true },
    { from: 'b', to: 'a', stated: false },
  ],
  notes: ['What is missing.'],
}

test('nodes are buttons that seek, texts are text, lines that are not stated are dashed', () => {
  const sought: number[] = []
  const state = { offset: 15, duration: 30, live: false, running: false }
  const player = {
    subscribe: () => () => undefined,
    state: () => state,
    seek: (ms: number) => sought.push(ms),
  }
  renderAt(
    '/',
    <PlayerContext value={player as unknown as Player}>
      <DrawingSection drawing={drawing} title="Graph of thoughts" started="2026-01-01T00:00:00Z" />
    </PlayerContext>,
  )
  expect(document.querySelectorAll('script, img')).toHaveLength(0)
  expect([...document.querySelectorAll('path')].map((path) => path.hasAttribute('stroke-dasharray'))).toEqual(
    [false, true],
  )
  const button = screen.getByRole('button', { name: /^b; planned, 0\.5; after <img/ })
  expect(button.getAttribute('data-after')).toBe('true')
  fireEvent.click(button)
  expect(sought).toEqual([20])
  expect(screen.getByRole('region', { name: 'The chosen thought' }).textContent).toMatch('states no text')
  expect(screen.getByText('What is missing.')).toBeTruthy()
})
