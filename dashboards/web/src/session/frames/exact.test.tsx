// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderAt } from '../../testing/render'
import { Exact } from './exact'

const shown = () => screen.getByLabelText('The recorded bytes as text').textContent

test('a character at the border of what is shown is no wrong byte; a wrong one at the end is', () => {
  renderAt('/', <Exact raw={new TextEncoder().encode(`${'x'.repeat((16 << 10) - 1)}éy`)} />)
  expect(shown()).toBe('x'.repeat((16 << 10) - 1))
})

test('a wrong byte at the end of the frame is shown', () => {
  renderAt('/', <Exact raw={Uint8Array.of(0x61, 0xc3)} />)
  expect(shown()).toBe('aU+FFFD')
})
