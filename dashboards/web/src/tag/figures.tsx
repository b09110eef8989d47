import { Anchor, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { Cost, unpriced } from '../components/cost'
import { ProblemAlert } from '../components/problem'
import { type Filter, formatFilter } from '../filters/filter'
import { compact, count, counted, percent } from '../format/numbers'
import { Facts } from '../reports/facts'
import { totalsQuery } from '../sessions/queries'

/** How many sessions there were, how many failed, and what they used. */
export function Figures({ filter }: { filter: Filter }) {
  const failing: Filter = { ...filter, status: ['error'] }
  const all = useQuery(totalsQuery(filter, true))
  const failed = useQuery(totalsQuery(failing, true))
  const error = all.error ?? failed.error
  if (error !== null)
    return <ProblemAlert error={error} again={() => void Promise.all([all.refetch(), failed.refetch()])} />
  if (all.data === undefined || failed.data === undefined) return <Skeleton height={86} radius="md" />
  const { sessions, more, spent } = all.data
  return (
    <Facts
      facts={[
        { name: 'Sessions', value: <Counted filter={filter} sessions={sessions} more={more} /> },
        {
          name: 'Failed',
          value: <Counted filter={failing} sessions={failed.data.sessions} more={failed.data.more} />,
          note: sessions === 0 || more ? '' : `${percent(failed.data.sessions / sessions)} of the sessions`,
        },
        {
          name: 'Cost',
          value: spent === null ? '–' : <Cost spent={spent} />,
          note:
            spent === null || spent.calls === 0 ? 'no usage was reported' : unpriced(spent) || 'of all calls',
        },
        {
          name: 'Tokens',
          value:
            spent === null ? (
              '–'
            ) : (
              <span title={counted(spent.tokens.total, 'token')}>{compact(spent.tokens.total)}</span>
            ),
          note: spent === null ? '' : counted(spent.calls, 'call'),
        },
      ]}
    />
  )
}

/** A number of sessions, which leads to them. */
function Counted({ filter, sessions, more }: { filter: Filter; sessions: number; more: boolean }) {
  return (
    <Anchor
      component={Link}
      href={`/${formatFilter(filter)}`}
      inherit
      c="inherit"
      underline="hover"
      title="Show the sessions"
    >
      {more && '> '}
      {count(sessions)}
    </Anchor>
  )
}
