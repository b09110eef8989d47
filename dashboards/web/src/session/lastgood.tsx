import { Button } from '@mantine/core'
import { IconGitCompare } from '@tabler/icons-react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import { answered, api, type Schemas } from '../api/client'
import { compareAddress } from '../compare/queries'
import { useOfferedActions } from '../palette/actions'

type Session = Pick<Schemas['SessionDetail'], 'id' | 'title' | 'tags' | 'started'>

/**
 * The last session before another that ended well and was the same work: it has the same tags, and the same title if
 * one of these has it; where none has the tags it has the same title. Null for none.
 */
export const lastGoodQuery = ({ id, title, tags, started }: Session) =>
  queryOptions({
    queryKey: ['sessions', 'last good', id],
    queryFn: async ({ signal }) => {
      const find = async (filter: { tag?: string[]; q?: string }) => {
        const query = { status: ['ok' as const], to: started, limit: 20, ...filter }
        return (await answered(api.GET('/v1/sessions', { params: { query }, signal }))).items
      }
      const tag = Object.entries(tags).map(([name, value]) => `${name}:${value}`)
      const tagged = tag.length === 0 ? [] : await find({ tag })
      const sameTitle = (one: { title: string }) => one.title === title
      const found = tagged.find(sameTitle) ?? tagged[0]
      if (found !== undefined) return found.id
      const titled = title === '' ? [] : await find({ q: title })
      return titled.find(sameTitle)?.id ?? null
    },
    staleTime: 60_000,
  })

const compareWithLastGood = 'Compare with the last good run'

/** Of a session that failed: leads to its comparison with the last one that ended well. */
export function CompareWithLastGood({ session }: { session: Schemas['SessionDetail'] }) {
  const failed = ['error', 'incomplete', 'lost', 'cancelled'].includes(session.status)
  const good = useQuery({ ...lastGoodQuery(session), enabled: failed }).data ?? null
  const address = failed && good !== null ? compareAddress(good, session.id) : null
  const [, navigate] = useLocation()
  const actions = useMemo(
    () => (address === null ? [] : [{ name: compareWithLastGood, run: () => navigate(address) }]),
    [address, navigate],
  )
  useOfferedActions('last good run', actions)
  if (address === null) return null
  return (
    <Button
      component={Link}
      href={address}
      size="compact-sm"
      variant="light"
      leftSection={<IconGitCompare size={14} />}
      style={{ flex: 'none' }}
    >
      {compareWithLastGood}
    </Button>
  )
}
