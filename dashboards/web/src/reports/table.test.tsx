// @vitest-environment jsdom
import { render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { MantineProvider } from '@mantine/core'
import { expect, test, vi } from 'vitest'
import type { Column } from './column'
import { ReportTable } from './table'

interface Row {
  model: string | null
  calls: number | null
}

const columns: Column<Row>[] = [
  { name: 'model', key: ({ model }) => model, cell: ({ model }) => model ?? 'unknown' },
  { name: 'calls', figure: true, key: ({ calls }) => calls, cell: ({ calls }) => calls ?? '–', total: '42' },
]

function show(rows: readonly Row[]) {
  render(
    <MantineProvider env="test">
      <ReportTable columns={columns} rows={rows} rowKey={({ model }) => model ?? ''} label="Usage table" />
    </MantineProvider>,
  )
}

/** The first column of the body, from top to bottom. */
const names = () =>
  screen
    .getAllByRole('row')
    .map((row) => within(row).queryAllByRole('cell')[0]?.textContent)
    .slice(1, -1)

const head = (name: string) => screen.getByRole('columnheader', { name })

test('rows stand as they come, above their total', () => {
  show([
    { model: 'b', calls: 2 },
    { model: 'a', calls: 40 },
  ])
  expect(names()).toEqual(['b', 'a'])
  expect(screen.getAllByRole('row').at(-1)).toHaveProperty('textContent', 'Total42')
})

test('a column orders the rows: numbers from the largest, names from the first, and then the other way', async () => {
  const user = userEvent.setup()
  show([
    { model: 'b', calls: 2 },
    { model: 'a', calls: 40 },
    { model: 'c', calls: 1 },
  ])
  await user.click(within(head('Calls')).getByRole('button'))
  expect(names()).toEqual(['a', 'b', 'c'])
  expect(head('Calls').getAttribute('aria-sort')).toBe('descending')
  await user.click(within(head('Calls')).getByRole('button'))
  expect(names()).toEqual(['c', 'b', 'a'])
  expect(head('Calls').getAttribute('aria-sort')).toBe('ascending')
  await user.click(within(head('Model')).getByRole('button'))
  expect(names()).toEqual(['a', 'b', 'c'])
  expect(head('Calls').getAttribute('aria-sort')).toBe('none')
})

test('a long table is shown in steps', async () => {
  const user = userEvent.setup()
  show(Array.from({ length: 450 }, (_, i) => ({ model: `model ${i}`, calls: i })))
  const body = screen.getByRole('table').getElementsByTagName('tbody')[0]?.rows
  expect(body).toHaveLength(200)
  await user.click(screen.getByRole('button', { name: 'Show more of 450 rows' }))
  expect(body).toHaveLength(450)
  expect(screen.queryByRole('button', { name: /Show more/ })).toBeNull()
})

test('on a narrow screen late columns come after the others, in their order', () => {
  const matchMedia = vi.spyOn(window, 'matchMedia')
  const list = (matches: boolean) =>
    ({ matches, addEventListener: () => undefined, removeEventListener: () => undefined }) as unknown
  const heads = () => screen.getAllByRole('columnheader').map((cell) => cell.textContent)
  const named = (name: string, late?: boolean): Column<Row> => ({
    ...{ name, key: ({ model }) => model, cell: ({ model }) => model },
    ...(late !== undefined && { late }),
  })
  const given = [named('model'), named('provider', true), named('tier', true), named('price')]
  for (const [narrow, shown] of [
    [false, ['Model', 'Provider', 'Tier', 'Price']],
    [true, ['Model', 'Price', 'Provider', 'Tier']],
  ] as const) {
    matchMedia.mockReturnValue(list(narrow) as MediaQueryList)
    const { unmount } = render(
      <MantineProvider env="test">
        <ReportTable
          columns={given}
          rows={[{ model: 'a', calls: 1 }]}
          rowKey={() => 'a'}
          label="Usage table"
        />
      </MantineProvider>,
    )
    expect(heads()).toEqual(shown)
    unmount()
  }
  matchMedia.mockRestore()
})
