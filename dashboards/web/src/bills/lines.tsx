import { NativeSelect, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { facetsQuery } from '../filters/queries'
import { count, exactMoney, money, roundedMoney } from '../format/numbers'
import classes from '../reports/page.module.css'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import { LineRows } from './linerows'
import { lineKey, type Bill, type BillLine } from './queries'
import { periodName } from './words'

/** The lines of a bill: the lines of its period, and corrections of earlier lines; apart by a tag's values, if chosen. */
export function BillLines({ bill, setBy }: { bill: Bill; setBy: (tag: string | undefined) => void }) {
  const tags = useQuery(facetsQuery).data?.tags ?? []
  const own = bill.lines.filter(({ class: kind }) => kind === '')
  const corrections = bill.lines.filter(({ class: kind }) => kind !== '')
  return (
    <>
      <div className={classes.tools}>
        <Title order={2} size="h5">
          Lines
        </Title>
        {tags.length > 0 && (
          <NativeSelect
            size="xs"
            aria-label="Lines apart by"
            data={[
              { value: '', label: 'Not apart' },
              ...tags.map((tag) => ({ value: tag, label: `By ${tag}` })),
            ]}
            value={bill.by ?? ''}
            onChange={({ currentTarget: { value } }) => setBy(value === '' ? undefined : value)}
          />
        )}
      </div>
      {own.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing was used in the period.
        </Text>
      ) : (
        <ReportTable
          label="Lines"
          columns={columnsFor(bill, false)}
          rows={own}
          rowKey={lineKey}
          details={detailsOf(bill)}
        />
      )}
      {corrections.length > 0 && (
        <>
          <Title order={2} size="h5">
            Corrections of earlier bills
          </Title>
          <ReportTable
            label="Corrections of earlier bills"
            columns={columnsFor(bill, true)}
            rows={corrections}
            rowKey={lineKey}
            details={detailsOf(bill)}
          />
        </>
      )}
    </>
  )
}

/** The charges that a line unfolds to. */
function detailsOf(bill: Bill) {
  return {
    label: (line: BillLine) => `Charges of ${lineName(line, bill.by)}`,
    content: (line: BillLine) => (
      <LineRows bill={bill} line={line} label={`Charges of ${lineName(line, bill.by)}`} />
    ),
  }
}

function lineName({ class: kind, charge_period, model, unit, tag_value }: BillLine, by: string | undefined) {
  const parts = [model || 'unknown', unit.replaceAll('_', ' ')]
  if (by !== undefined) parts.push(tag_value ?? `no ${by}`)
  if (kind !== '') parts.push(periodName(charge_period))
  return parts.join(', ')
}

function columnsFor({ by, currency, minor_units }: Bill, corrections: boolean): Column<BillLine>[] {
  return [
    ...(corrections
      ? [
          {
            name: 'period',
            hint: 'Of the charges that are corrected.',
            key: ({ charge_period }: BillLine) => charge_period,
            cell: ({ charge_period }: BillLine) => periodName(charge_period),
          },
        ]
      : []),
    ...(by !== undefined
      ? [
          {
            name: by,
            hint: 'The value of the tag.',
            key: ({ tag_value }: BillLine) => tag_value ?? '',
            cell: ({ tag_value }: BillLine) =>
              tag_value ?? (
                <Text span inherit c="dimmed">
                  none
                </Text>
              ),
          },
        ]
      : []),
    {
      name: 'model',
      key: ({ model }) => model,
      cell: ({ model, priced_as }) => (
        <>
          {model === '' ? 'unknown' : model}
          {priced_as !== undefined && (
            <Text span size="xs" c="dimmed">
              {' '}
              priced as {priced_as}
            </Text>
          )}
        </>
      ),
    },
    { name: 'provider', key: ({ provider }) => provider, cell: ({ provider }) => provider || 'unknown' },
    { name: 'unit', key: ({ unit }) => unit, cell: ({ unit }) => unit.replaceAll('_', ' ') },
    {
      name: 'quantity',
      figure: true,
      key: ({ quantity }) => Number(quantity),
      cell: ({ quantity }) => count(Number(quantity)),
    },
    {
      name: 'exact cost',
      figure: true,
      key: ({ cost }) => Number(cost),
      cell: ({ cost, unpriced }) => (
        <span title={exactMoney({ amount: cost, currency })}>
          {unpriced ? '–' : money({ amount: cost, currency })}
        </span>
      ),
    },
    {
      name: 'amount',
      hint: 'Rounded to the minor unit of the currency.',
      figure: true,
      key: ({ amount }) => Number(amount),
      cell: ({ amount, unpriced }) =>
        unpriced ? (
          <Text span inherit c="dimmed">
            no price
          </Text>
        ) : (
          <b>{roundedMoney({ amount, currency }, minor_units)}</b>
        ),
    },
  ]
}
