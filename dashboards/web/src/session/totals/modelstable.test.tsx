// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderAt } from '../../testing/render'
import { noTokens } from '../../testing/tokens'
import { noCosts } from './costs'
import { ModelsTable } from './modelstable'

test('a model whose calls reported no usage has no tokens, one that reported zero has zero', () => {
  renderAt(
    '/',
    <ModelsTable
      models={[
        { model: 'counted', calls: 1, tokens: { ...noTokens, input: 5, total: 5 }, costs: noCosts },
        { model: 'zero', calls: 1, tokens: noTokens, costs: noCosts },
        { model: 'silent', calls: 2, tokens: null, costs: noCosts },
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

test('a model without a price says why, and costs nothing', () => {
  const tokens = { ...noTokens, input: 5, total: 5 }
  const cost = { amount: '0.0421234', currency: 'USD' }
  renderAt(
    '/',
    <ModelsTable
      models={[
        { model: 'priced', calls: 1, tokens, costs: { ...noCosts, cost } },
        { model: 'partly', calls: 2, tokens, costs: { ...noCosts, cost, unpriced: ['unknown_tier'] } },
        { model: 'unpriced', calls: 1, tokens, costs: { ...noCosts, unpriced: ['unknown_model'] } },
        { model: 'silent', calls: 1, tokens: null, costs: noCosts },
      ]}
    />,
  )
  expect(screen.getByText('$0.0421').title).toBe('0.0421234 USD')
  expect(screen.getByText('> $0.0421').title).toBe(
    '0.0421234 USD\nWithout calls that have no price. No rule has prices of this service tier or speed.',
  )
  expect(screen.getByText('no price').title).toBe(
    'The provider has no model of this name in the price table.',
  )
  expect(screen.getByRole('row', { name: /silent/ }).textContent).toBe('silent1–––')
})
