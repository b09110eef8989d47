// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderAt } from '../../testing/render'
import { ModelsTable } from './modelstable'

const none = {
  input: 0,
  cache_read: 0,
  cache_write_5m: 0,
  cache_write_1h: 0,
  output: 0,
  reasoning: 0,
  total: 0,
}

test('a model whose calls reported no usage has no tokens, one that reported zero has zero', () => {
  renderAt(
    '/',
    <ModelsTable
      models={[
        { model: 'counted', calls: 1, tokens: { ...none, input: 5, total: 5 } },
        { model: 'zero', calls: 1, tokens: none },
        { model: 'silent', calls: 2, tokens: null },
      ]}
    />,
  )
  const cells = (model: string) =>
    within(screen.getByRole('row', { name: new RegExp(model) }))
      .getAllByRole('cell')
      .map((cell) => cell.textContent)
  expect(cells('counted')).toEqual(['counted', '1', '5', '5'])
  expect(cells('zero')).toEqual(['zero', '1', '0', '0'])
  expect(cells('silent')).toEqual(['silent', '2', '–', '–'])
})
