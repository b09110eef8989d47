// @vitest-environment jsdom
import { render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { Skip } from './skip'

test('the focus goes to the target, and the address stays', async () => {
  history.replaceState(null, '', '/share?t=4#secret')
  render(
    <>
      <Skip to="views">Skip the conversation</Skip>
      <div id="views" tabIndex={-1} />
    </>,
  )
  await userEvent.setup().click(screen.getByRole('link', { name: 'Skip the conversation' }))
  expect(document.activeElement?.id).toBe('views')
  expect(location.search + location.hash).toBe('?t=4#secret')
})
