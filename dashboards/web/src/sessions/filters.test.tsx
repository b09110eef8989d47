// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { answering, renderAt } from '../testing/render'
import { Filters } from './filters'
import { useFilter } from './usefilter'

afterEach(() => vi.restoreAllMocks())

function Page() {
  const [filter, change] = useFilter()
  return <Filters filter={filter} change={change} />
}

/** Shows the filters at an address; returns the addresses that were visited. */
function show(address: string): string[] {
  answering({
    '/v1/facets': { agents: ['planner', 'coder'], tools: [], models: [], dialects: ['loom'], tags: [] },
  })
  return renderAt(address, <Page />).history
}

/** Opens a filter, and returns its panel. */
async function open(user: ReturnType<typeof userEvent.setup>, button: string, name = button) {
  await user.click(screen.getByRole('button', { name: button }))
  return within(screen.getByRole('dialog', { name }))
}

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
