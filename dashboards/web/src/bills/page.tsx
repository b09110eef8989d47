import { useSearch } from 'wouter'
import { ClosedBill } from './closed'
import { BillsList } from './list'
import { Preview } from './preview'

/** The periods of all accounts, the preview of one, or a closed bill, as the address names it. */
export default function BillsPage() {
  const params = new URLSearchParams(useSearch())
  const [number, account, period] = [params.get('number'), params.get('account'), params.get('period')]
  if (number !== null) return <ClosedBill key={number} number={number} />
  if (account !== null && period !== null)
    return <Preview key={`${account} ${period}`} account={account} period={period} />
  return <BillsList />
}
