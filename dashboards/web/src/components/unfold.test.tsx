// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { renderAt } from '../testing/render'
import { FileLines } from './code/filelines'
import { PatchDiff } from './diff/diff'

const note = 'The rest is left out here; the copy has all of it.'

test('a file and a patch that are too long to be shown whole say so once they are opened', async () => {
  renderAt('/', <FileLines text={'a line of a file\n'.repeat(30_000)} path="x" first={1} label="File" />)
  renderAt('/', <PatchDiff text={'+line\n'.repeat(3001)} />)
  expect(screen.queryByText(note)).toBeNull()
  for (const button of screen.getAllByRole('button', { name: /^Show all/ })) await userEvent.click(button)
  expect(screen.getAllByText(note)).toHaveLength(2)
})

test('a patch with a line that is cut says so', () => {
  renderAt('/', <PatchDiff text={`+${'x'.repeat(2001)}`} />)
  expect(screen.getByText(note)).toBeTruthy()
})
