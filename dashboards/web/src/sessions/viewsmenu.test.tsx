// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answering, renderAt } from '../testing/render'
import { keptViews } from './keptviews'
import { useFilter } from './usefilter'
import { ViewsMenu } from './viewsmenu'

beforeEach(() => localStorage.clear())
afterEach(() => vi.restoreAllMocks())

function Page() {
  const [filter] = useFilter()
  return <ViewsMenu filter={filter} columns={['status', 'cost']} />
}

function show(address: string) {
  answering({ '/v1/facets': { agents: [], tools: [], models: [], dialects: [], tags: ['team'] } })
  return renderAt(address, <Page />)
}

test('what is shown is kept under a name, renamed and deleted', async () => {
  const user = userEvent.setup()
  const { history } = show('/?tool=bash&sort=-cost')
  await user.click(screen.getByRole('button', { name: 'Views' }))
  await user.type(screen.getByLabelText('Keep what is shown as'), 'Shells{Enter}')
  const kept = () => within(screen.getByRole('list', { name: 'Kept views' }))
  expect(kept().getByRole('link', { name: 'Shells' }).getAttribute('href')).toBe(
    '/?tool=bash&sort=-cost&columns=status%2Ccost',
  )
  await user.click(screen.getByRole('button', { name: 'Rename Shells' }))
  const field = screen.getByLabelText('New name of Shells')
  await user.clear(field)
  await user.type(field, 'Bash{Enter}')
  expect(keptViews().map(({ name }) => name)).toEqual(['Bash'])
  await user.click(kept().getByRole('link', { name: 'Bash' }))
  expect(history.at(-1)).toBe('/?tool=bash&sort=-cost&columns=status%2Ccost')
  await user.click(screen.getByRole('button', { name: 'Views: Bash' }))
  await user.click(screen.getByRole('button', { name: 'Delete Bash' }))
  expect(keptViews()).toEqual([])
})

test('what a browser keeps by the name of views and is none is left out', () => {
  localStorage.setItem('tapedeck.views', '[{"name":"a","search":"?q=a"},{"name":"b"},3]')
  expect(keptViews()).toEqual([{ name: 'a', search: '?q=a' }])
  localStorage.setItem('tapedeck.views', 'no JSON')
  expect(keptViews()).toEqual([])
})
