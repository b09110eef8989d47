import { dayOf } from '../format/moment'
import { fullTime } from '../format/moment'
import { Facts } from '../reports/facts'
import type { PriceList } from './queries'

type Head = Pick<PriceList, 'hash' | 'currency' | 'source' | 'file_name' | 'imported_at'>

/** Where the effective table is from: the list prices, and the price file of the operator. */
export function Source({ head: { hash, currency, source, file_name, imported_at } }: { head: Head }) {
  return (
    <Facts
      facts={[
        {
          name: 'List prices',
          value: `${dayOf(source.date)} ${source.date.slice(0, 4)}`,
          note: `${source.package} ${source.version}`,
        },
        {
          name: 'Price file',
          value: file_name ?? 'none',
          note:
            imported_at === null
              ? 'tapedeck prices import FILE'
              : `imported ${fullTime(imported_at).slice(0, -4)}`,
        },
        { name: 'Currency', value: currency, note: 'of all costs' },
        {
          name: 'Table',
          value: <span title={hash}>{hash.slice(0, 12)}</span>,
          note: 'the first digits of its hash',
        },
      ]}
    />
  )
}
