// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { answering, renderAt } from '../testing/render'
import { session } from '../testing/session'
import { everything } from '../filters/filter'
import { Chosen } from './chosen'
import { useChoosing } from './choosing'
import { columns } from './columns'
import { SessionTable } from './table'

const still = { more: null, fetching: false }
const ends = { beginning: still, end: still, wantEnd: () => undefined }

/** What does not differ between the tables below. */
const table = {
  columns,
  sort: '-started' as const,
  setSort: () => undefined,
  narrow: false,
  loading: false,
  stale: false,
}

/** The list, of which another page can be loaded; the rows before are then not drawn. */
function List() {
  const choosing = useChoosing()
  const [ids, load] = useState(['one', 'two/2', 'three'])
  // The newest is first.
  const rows = ids.map((id, i) => session({ id, started: `2026-03-02T10:0${9 - i}:00Z` }))
  return (
    <>
      <Chosen choosing={choosing} filter={everything} fit={3} />
      <button onClick={() => load(['four', 'five'])}>Other rows</button>
      <SessionTable
        {...table}
        loaded={{ ...ends, rows, gap: -1, whole: true }}
        totals={undefined}
        choosing={choosing}
      />
    </>
  )
}

/** The two ends of a list of 1,000 sessions, one of each loaded. */
function Parted() {
  const choosing = useChoosing()
  const rows = [session({ id: 'first' }), null, session({ id: 'last' })]
  return (
    <>
      <Chosen choosing={choosing} filter={everything} fit={1000} />
      <SessionTable
        {...table}
        loaded={{ ...ends, rows, gap: 1, whole: false }}
        totals={{ sessions: 1000, more: false }}
        choosing={choosing}
      />
    </>
  )
}

// The virtual list draws what fits; jsdom lays nothing out.
beforeEach(() => {
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600)
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(900)
  return () => vi.restoreAllMocks()
})

const box = (id: string) => screen.getByRole<HTMLInputElement>('checkbox', { name: `Choose ${id}` })
/** The link that compares; it is loaded with the first choice. */
const comparing = async () => (await screen.findByRole('link', { name: 'Compare' })).getAttribute('href')
const compare = () => screen.queryByRole('link', { name: 'Compare' })
const status = () => screen.getByRole('status', { name: 'Chosen sessions' }).textContent

test('two chosen sessions can be compared, the older one as A', async () => {
  const user = userEvent.setup()
  const { history } = renderAt('/', <List />)
  expect(compare()).toBeNull()
  await user.click(box('two/2'))
  expect(compare()).toBeNull()
  expect(status()).toBe('1 session chosen; two can be compared')
  await user.click(box('three'))
  expect(await comparing()).toBe('/compare?a=three&b=two%2F2')
  await user.click(box('one'))
  expect(compare()).toBeNull()
  expect(status()).toBe('3 sessions chosen')
  await user.click(box('three'))
  expect(await comparing()).toBe('/compare?a=two%2F2&b=one')
  expect(history).toEqual(['/']) // a click on a box opens no session
  await user.click(screen.getByRole('button', { name: 'Choose none' }))
  expect([box('one').checked, box('two/2').checked, status(), compare()]).toEqual([false, false, '', null])
})

test('what is chosen stays so when its row is not drawn', async () => {
  const user = userEvent.setup()
  renderAt('/', <List />)
  await user.click(box('one'))
  await user.click(screen.getByRole('button', { name: 'Other rows' }))
  expect(screen.queryByRole('checkbox', { name: 'Choose one' })).toBeNull()
  await user.click(box('five'))
  // Five began before, though its row came later.
  expect(await comparing()).toBe('/compare?a=five&b=one')
})

test('x chooses the row with the focus, and each row has its box in a column with a head', async () => {
  const user = userEvent.setup()
  renderAt('/', <List />)
  expect(screen.getAllByRole('columnheader')[0]?.textContent).toBe('Chosen')
  screen.getByRole('link', { name: 'two/2' }).focus()
  await user.keyboard('x')
  expect([box('one').checked, box('two/2').checked]).toEqual([false, true])
  const row = screen.getAllByRole('row')[2]
  expect(row && within(row).getAllByRole('cell')[0]?.contains(box('two/2'))).toBe(true)
  await user.keyboard('x')
  expect(box('two/2').checked).toBe(false)
})

test('a click with Shift chooses the rows from the one that was chosen before', async () => {
  const user = userEvent.setup()
  renderAt('/', <List />)
  await user.click(box('three'))
  await user.keyboard('{Shift>}')
  await user.click(box('one'))
  await user.keyboard('{/Shift}')
  expect(status()).toBe('3 sessions chosen')
  await user.click(screen.getByRole('button', { name: 'Choose none' }))
  screen.getByRole('link', { name: 'one' }).focus()
  await user.keyboard('x{ArrowDown}')
  screen.getByRole('link', { name: 'two/2' }).focus()
  await user.keyboard('{Shift>}X{/Shift}')
  expect([box('one').checked, box('two/2').checked, box('three').checked]).toEqual([true, true, false])
})

test('of a range that goes over sessions that are not loaded only the one is chosen that was clicked', async () => {
  const user = userEvent.setup()
  renderAt('/', <Parted />)
  await user.click(box('first'))
  await user.keyboard('{Shift>}')
  await user.click(box('last'))
  await user.keyboard('{/Shift}')
  expect(status()).toBe('2 sessions chosen')
  // What stands for the others is no session, and the last row is the last of all.
  expect(screen.getByText('998 more, loaded as you scroll to them')).toBeTruthy()
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('1001')
  expect(screen.getAllByRole('row').map((row) => row.getAttribute('aria-rowindex'))).toEqual([
    '1',
    '2',
    null,
    '1001',
  ])
})

test('all that fit are chosen, as many as are fetched at once', async () => {
  const user = userEvent.setup()
  const items = ['one', 'two/2', 'three'].map((id) => session({ id }))
  const asked = answering({ '/v1/sessions': { items, next: null } })
  renderAt('/', <List />)
  await user.click(box('one'))
  await user.click(screen.getByRole('button', { name: 'Choose all 3' }))
  expect(await screen.findByText('3 sessions chosen')).toBeTruthy()
  expect(asked('/v1/sessions')).toEqual([{ sort: '-started', limit: 500 }])
  expect(screen.queryByRole('button', { name: /^Choose all/ })).toBeNull()
})

test('rows of another filter cannot be used while the answer is awaited', () => {
  function Awaited() {
    const rows = [session({ id: 'one' })]
    return (
      <SessionTable
        {...table}
        stale
        loaded={{ ...ends, rows, gap: -1, whole: true }}
        totals={undefined}
        choosing={useChoosing()}
      />
    )
  }
  renderAt('/', <Awaited />)
  expect(screen.getByRole('table', { name: 'Sessions' }).getAttribute('aria-busy')).toBe('true')
  expect(box('one').closest('[inert]')).not.toBeNull()
})
