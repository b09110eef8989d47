// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { answering, renderAt } from '../testing/render'
import { ReportPage, type ReportAnswer, type ReportKind } from './page'
import { apiParams } from './params'
import type { Grouped } from './rows'
import { api } from '../api/client'

type Row = Grouped & { model: string; calls: number }

const kind: ReportKind<Row, ReportAnswer<Row>> = {
  title: 'Usage',
  route: '/v1/usage',
  groups: ['model'],
  query: (report, part) => {
    const query = { ...apiParams(report, part), group_by: [...report.groupBy] }
    return {
      queryKey: ['test', part, query],
      queryFn: async () =>
        (await api.GET('/v1/usage', { params: { query } })).data as unknown as ReportAnswer<Row>,
    }
  },
  empty: { title: 'No usage in this range', icon: null, text: (range) => <>{range}</> },
  first: 'cost',
  columns: () => [
    { name: 'model', key: ({ model }) => model, cell: ({ model }) => model },
    { name: 'calls', figure: true, key: ({ calls }) => calls, cell: ({ calls }) => calls },
  ],
  summary: ({ items }) => <p>{items.length} groups</p>,
  chart: ({ report }) => <p>chart by {report.granularity}</p>,
}

const row: Row = { period: null, period_start: null, model: 'deck-1', calls: 7 }

afterEach(() => vi.restoreAllMocks())

/** Shows the page at an address; returns the queries of its requests and the addresses that were visited. */
function show(search: string, items: readonly Row[]) {
  const asked = answering({ '/v1/usage': { items, from: null, to: null } })
  const { history } = renderAt(`/usage?${search}`, <ReportPage kind={kind} groupings={['model', 'agent']} />)
  return { history, queries: () => asked('/v1/usage') }
}

test('the table and the chart request what the address names', async () => {
  const { queries } = show('from=now-24h&timezone=Asia/Tokyo', [row])
  expect(await screen.findByRole('cell', { name: 'deck-1' })).toBeTruthy()
  expect(queries()).toEqual([
    { from: 'now-24h', timezone: 'Asia/Tokyo', granularity: 'total', group_by: ['model'] },
    { from: 'now-24h', timezone: 'Asia/Tokyo', granularity: 'hour', group_by: ['model'] },
  ])
  expect(screen.getByText('1 groups')).toBeTruthy()
  expect(screen.getByText('chart by hour')).toBeTruthy()
})

test('CSV is linked with the same range, zone and groups', async () => {
  show('from=now-24h&timezone=UTC&group_by=agent&rows=periods', [row])
  const link = await screen.findByRole('link', { name: 'CSV' })
  expect(link.getAttribute('href')).toBe(
    '/v1/usage?from=now-24h&timezone=UTC&granularity=hour&group_by=agent&format=csv',
  )
})

test('the filters change the address', async () => {
  const user = userEvent.setup()
  const { history } = show('from=now-24h&timezone=UTC', [row])
  await screen.findByRole('cell', { name: 'deck-1' })
  await user.selectOptions(screen.getByLabelText('Time zone'), 'Asia/Tokyo')
  expect(history.at(-1)).toBe('/usage?from=now-24h&timezone=Asia%2FTokyo')
  await user.click(screen.getByRole('radio', { name: 'day' }))
  expect(history.at(-1)).toBe('/usage?from=now-24h&timezone=Asia%2FTokyo&granularity=day')
  await user.click(screen.getByRole('button', { name: 'Group by: model' }))
  await user.click(within(screen.getByRole('dialog', { name: 'Group by' })).getByLabelText('agent'))
  expect(history.at(-1)).toBe(
    '/usage?from=now-24h&timezone=Asia%2FTokyo&granularity=day&group_by=model%2Cagent',
  )
  await user.click(screen.getByRole('button', { name: 'Time: Last 24 hours' }))
  await user.click(screen.getByRole('button', { name: 'Last 7 days' }))
  expect(history.at(-1)).toBe('/usage?timezone=Asia%2FTokyo&group_by=model%2Cagent')
  await user.click(screen.getByRole('radio', { name: 'by day' }))
  expect(history.at(-1)).toBe('/usage?timezone=Asia%2FTokyo&group_by=model%2Cagent&rows=periods')
})

test('an empty range is named', async () => {
  show('from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z&timezone=UTC', [])
  expect(await screen.findByText('No usage in this range')).toBeTruthy()
  expect(screen.getByText('1 Jan 2001, 00:00 – 2 Jan 2001, 00:00', { selector: 'p, div, span' })).toBeTruthy()
  expect(screen.queryByRole('table')).toBeNull()
})
