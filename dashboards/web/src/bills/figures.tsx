import { count, exactMoney, money, roundedMoney } from '../format/numbers'
import { Facts } from '../reports/facts'
import type { Bill } from './queries'

/** The sums of a bill: rounded, exact, and what separates the two. */
export function BillFigures({ bill }: { bill: Bill }) {
  const amount = (text: string) => ({ amount: text, currency: bill.currency })
  return (
    <Facts
      facts={[
        {
          name: 'Total',
          value: (
            <span title={exactMoney(amount(bill.total))}>
              {bill.unpriced > 0 && '> '}
              {roundedMoney(amount(bill.total), bill.minor_units)}
            </span>
          ),
          note: 'the sum of the rounded lines',
        },
        {
          name: 'Exact cost',
          value: <span title={exactMoney(amount(bill.billed_cost))}>{money(amount(bill.billed_cost))}</span>,
          note: roundingText(bill),
        },
        {
          name: 'At list prices',
          value: <span title={exactMoney(amount(bill.list_cost))}>{money(amount(bill.list_cost))}</span>,
          note: `${money(amount(bill.contracted_cost))} without margins`,
        },
        {
          name: 'Charges',
          value: count(bill.charges),
          note: bill.unpriced === 0 ? 'all have a price' : `${count(bill.unpriced)} without a price`,
        },
        {
          name: 'Corrections',
          value: count(bill.corrections),
          note: bill.corrections === 0 ? 'of no earlier bill' : 'rows that correct earlier bills',
        },
      ]}
    />
  )
}

/** What the rounded lines have more or less than the exact cost. */
function roundingText({ residual, currency, minor_units }: Bill): string {
  if (Number(residual) === 0) return 'no difference by rounding'
  const size = { amount: residual.replace(/^-/, ''), currency }
  const text =
    Number(size.amount) < 0.5 / 10 ** minor_units ? exactMoney(size) : roundedMoney(size, minor_units)
  return `${text} ${residual.startsWith('-') ? 'more' : 'less'} than the total`
}
