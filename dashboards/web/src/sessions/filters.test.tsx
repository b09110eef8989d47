// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { answering, renderAt } from '../testing/render'
import { Filters } from './filters'
import { useColumns } from './usecolumns'
import { useFilter } from './usefilter'

afterEach(() => vi.restoreAllMocks())

function Page() {
  const [filter, change] = useFilter()
  const [columns, setColumns] = useColumns(filter, change, true)
  return <Filters filter={filter} change={change} columns={columns} setColumns={setColumns} narrow={false} />
}

/** Shows the filters at an address; returns the addresses that were visited. */
function show(address: string): string[] {
  answering({
    '/v1/facets': { agents: ['planner', 'coder'], tools: [], models: [], dialects: ['loom'], tags: [] },
  })
  return renderAt(address, <Page />).history
}

/** Picks a filter in the menu of all, and returns its panel. */
async function open(user: ReturnType<typeof userEvent.setup>, name: string) {
  await user.click(screen.getByRole('button', { name: 'Filter' }))
  await user.click(screen.getByRole('option', { name }))
  return within(screen.getByRole('dialog', { name }))
}

const chips = () =>
  screen.queryAllByRole('button', { name: /^Remove the filter/ }).map((button) => button.ariaLabel)

test('each filter is a part of the address', async () => {
  const user = userEvent.setup()
  const history = show('/')
  const status = await open(user, 'Status')
  await user.click(status.getByLabelText('error'))
  expect(history.at(-1)).toBe('/?status=error')
  await user.keyboard('{Escape}')
  const agent = await open(user, 'Agent')
  await user.click(await agent.findByLabelText('coder'))
  expect(history.at(-1)).toBe('/?agent=coder&status=error')
  expect(screen.getByRole('button', { name: 'Status: error' })).toBeTruthy()
})

test('only the filters that are chosen are chips, and each can be removed', async () => {
  const user = userEvent.setup()
  const history = show('/?status=error&tool=bash&min_tokens=10&sort=-cost')
  expect(chips()).toEqual(['Remove the filter Status', 'Remove the filter Tool', 'Remove the filter Tokens'])
  await user.click(screen.getByRole('button', { name: 'Remove the filter Tool' }))
  expect(history.at(-1)).toBe('/?min_tokens=10&status=error&sort=-cost')
  screen.getByRole('button', { name: 'Status: error' }).focus()
  await user.keyboard('{Delete}')
  expect(history.at(-1)).toBe('/?min_tokens=10&sort=-cost')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Filter' }))
  expect(chips()).toEqual(['Remove the filter Tokens'])
})

test('the menu of filters is narrowed by words and picked from by keys', async () => {
  const user = userEvent.setup()
  const history = show('/')
  screen.getByRole('button', { name: 'Filter' }).focus()
  await user.keyboard('{Enter}')
  screen.getByRole('combobox', { name: 'Filters' }).focus()
  await user.keyboard('sta')
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    'Status',
    'Call status',
  ])
  await user.keyboard('{ArrowDown}{ArrowUp}{Enter}')
  const panel = within(screen.getByRole('dialog', { name: 'Status' }))
  expect(document.activeElement).toBe(panel.getByLabelText('running'))
  await user.keyboard(' ')
  expect(history.at(-1)).toBe('/?status=running')
})

test('a chip whose last value is taken away stays until its panel is closed', async () => {
  const user = userEvent.setup()
  show('/?status=error')
  await user.click(screen.getByRole('button', { name: 'Status: error' }))
  await user.click(screen.getByLabelText('error'))
  expect(screen.getByRole('dialog', { name: 'Status' })).toBeTruthy()
  await user.keyboard('{Escape}')
  expect(chips()).toEqual([])
})

test('an amount that cannot be read is not applied', async () => {
  const user = userEvent.setup()
  const history = show('/')
  const tokens = await open(user, 'Tokens')
  await user.type(tokens.getByLabelText('At least'), 'many')
  expect(tokens.getByText('such as 5000 or 10k')).toBeTruthy()
  expect(tokens.getByRole('button', { name: 'Apply' })).toHaveProperty('disabled', true)
  await user.clear(tokens.getByLabelText('At least'))
  await user.type(tokens.getByLabelText('At least'), '10k{Enter}')
  expect(history.at(-1)).toBe('/?min_tokens=10000')
  expect(screen.getByRole('button', { name: 'Tokens: ≥ 10.0k' })).toBeTruthy()
})

test('a name that is not known can be typed', async () => {
  const user = userEvent.setup()
  const history = show('/')
  const tool = await open(user, 'Tool')
  await user.type(tool.getByLabelText('Name of a tool'), 'bash')
  await user.click(tool.getByRole('button', { name: 'Use “bash”' }))
  expect(history.at(-1)).toBe('/?tool=bash')
})

test('all filters are cleared at once, and the order is kept', async () => {
  const user = userEvent.setup()
  const history = show('/?status=ok&agent=coder&running_for=1h&sort=-tokens')
  await user.click(screen.getByRole('button', { name: 'Clear all' }))
  expect(history.at(-1)).toBe('/?sort=-tokens')
  expect(screen.queryByRole('button', { name: 'Clear all' })).toBeNull()
})

test('a range of costs is a part of the address, as it was typed', async () => {
  const user = userEvent.setup()
  const history = show('/')
  const cost = await open(user, 'Cost')
  await user.type(cost.getByLabelText('At least'), '$0.05')
  await user.type(cost.getByLabelText('At most'), '1,200{Enter}')
  expect(history.at(-1)).toBe('/?min_cost=0.05&max_cost=1200')
  expect(screen.getByRole('button', { name: 'Cost: 0.05 – 1200' })).toBeTruthy()
})
