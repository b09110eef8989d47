// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { renderAt } from '../../testing/render'
import { FrameRow } from './row'

test('a row that is the same calls the handler that there is now', async () => {
  const [old, now] = [vi.fn(), vi.fn()]
  function Rows() {
    const [changed, change] = useState(false)
    return (
      <>
        <button onClick={() => change(true)}>change</button>
        <FrameRow
          {...{ id: 'r', number: 7, line: undefined, isNow: false, isAfter: false, isChosen: false }}
          onChoose={changed ? now : old}
        />
      </>
    )
  }
  renderAt('/', <Rows />)
  await userEvent.click(screen.getByRole('button', { name: 'change' }))
  await userEvent.click(screen.getByRole('row'))
  expect(old).not.toHaveBeenCalled()
  expect(now).toHaveBeenCalledWith(7)
})
