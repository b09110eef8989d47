import { expect, test } from 'vitest'
import { parseFilter } from '../filters/filter'
import { calendarRanges } from '../filters/range'
import { viewerZone } from '../format/zone'
import { builtIn, showsView, viewAddress, viewOf } from './views'

const noon = Date.parse('2026-11-28T12:00:00Z')
const tomorrow = noon + 86_400_000
const today = (now: number) => calendarRanges(viewerZone, now)[0] ?? { from: '', to: '' }

test('a view has the filter, the order and the columns', () => {
  const view = viewOf('Dear', parseFilter('?tag=env:prod&sort=-cost&findings=1'), ['cost', 'model'], noon)
  expect(viewAddress(view, noon)).toBe('/?tag=env%3Aprod&findings=1&sort=-cost&columns=cost%2Cmodel')
})

test('a view of a day by the calendar is of the present day when it is opened', () => {
  const { from, to } = today(noon)
  const filter = { ...parseFilter('?status=error'), from, to }
  const view = viewOf('Failed', filter, ['status'], noon)
  const opened = parseFilter(viewAddress(view, tomorrow).slice(1))
  expect([opened.from, opened.to]).toEqual([today(tomorrow).from, today(tomorrow).to])
  expect(showsView(view, filter, ['status'], noon)).toBe(true)
  expect(showsView(view, filter, ['status'], tomorrow)).toBe(false)
  expect(showsView(view, filter, ['cost'], noon)).toBe(false)
})

test('the built-in views are of their days and months', () => {
  const addresses = builtIn(['branch', 'team']).map((view) => viewAddress(view, noon))
  const [, yesterday, month] = calendarRanges(viewerZone, noon).map(({ from, to }) =>
    new URLSearchParams({ from, to }).toString(),
  )
  const day = new URLSearchParams({ from: today(noon).from, to: today(noon).to }).toString()
  expect(addresses).toEqual([
    '/?status=running&status=quiet',
    `/?${day}&status=lost&status=error`,
    `/?${yesterday}&status=lost&status=error`,
    `/?${month}&sort=-cost`,
    `/usage?group_by=tag%3Ateam&${month}`,
  ])
})
