// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderAt } from '../testing/render'
import { Distribution } from './distributions'

test('a distribution says and draws how many calls lie in each bin', () => {
  renderAt(
    '/calls',
    <Distribution
      name="Tokens per second"
      bins={[
        { from: 1, to: 2, calls: 1 },
        { from: 2, to: 4, calls: 0 },
        { from: 4, to: 8, calls: 4 },
      ]}
      write={(n) => `${n}`}
    />,
  )
  const bars = screen.getByRole('img', { name: 'Tokens per second: 1 call from 1 to 2, 4 calls from 4 to 8' })
  expect([...bars.children].map((bar) => (bar as HTMLElement).style.height)).toEqual(['25%', '0%', '100%'])
})

test('nothing is drawn of no calls', () => {
  renderAt('/calls', <Distribution name="Duration" bins={[]} write={String} />)
  expect(screen.queryByRole('figure')).toBeNull()
})
