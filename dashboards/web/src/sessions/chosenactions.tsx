import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { IconDownload, IconGitCompare, IconTag, IconTrash } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'wouter'
import { compareAddress } from '../compare/queries'
import { ProblemAlert } from '../components/problem'
import type { Filter } from '../filters/filter'
import { count } from '../format/numbers'
import { hasScope, loginQuery } from '../login/queries'
import type { Choosing } from './choosing'
import { chosenMost, firstSessions } from './queries'

const DeleteDialog = lazy(() => import('./deletedialog'))
const LabelDialog = lazy(() => import('./labeldialog'))

export interface ChosenProps {
  choosing: Choosing
  filter: Filter
  /** How many sessions pass the filter, if that is known. */
  fit: number | null
}

/**
 * What can be done with the chosen sessions: two are compared, the older one as A; any are exported and, by those who
 * may, labelled and deleted.
 */
export default function ChosenActions({ choosing: { chosen, add, clear }, filter, fit }: ChosenProps) {
  const [deletes, setDeletes] = useState(false)
  const [labels, setLabels] = useState(false)
  const all = useMutation({
    mutationFn: () => firstSessions(filter),
    onSuccess: ({ items }) => add(items),
  })
  const principal = useQuery({ ...loginQuery, enabled: false }).data?.principal ?? null
  const sessions = [...chosen.values()]
  const [a, b] = sessions.toSorted((one, other) => Date.parse(one.started) - Date.parse(other.started))
  return (
    <>
      {a !== undefined && b !== undefined && chosen.size === 2 && (
        <Button
          component={Link}
          href={compareAddress(a.id, b.id)}
          size="compact-sm"
          leftSection={<IconGitCompare size={14} aria-hidden />}
        >
          Compare
        </Button>
      )}
      {chosen.size < Math.min(fit ?? chosenMost, chosenMost) && (
        <Button size="compact-sm" variant="default" loading={all.isPending} onClick={() => all.mutate()}>
          {fit !== null && fit <= chosenMost
            ? `Choose all ${count(fit)}`
            : `Choose the first ${count(chosenMost)}`}
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconDownload size={14} aria-hidden />}
        onClick={() =>
          void import('./csv').then(({ sessionsCsv }) => download(sessionsCsv(sessions), 'sessions.csv'))
        }
      >
        CSV
      </Button>
      {principal !== null && hasScope(principal, 'note') && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconTag size={14} aria-hidden />}
          onClick={() => setLabels(true)}
        >
          Label…
        </Button>
      )}
      {principal !== null && hasScope(principal, 'admin') && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconTrash size={14} aria-hidden />}
          onClick={() => setDeletes(true)}
        >
          Delete…
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={clear}>
        Choose none
      </Button>
      {all.error !== null && <ProblemAlert error={all.error} />}
      {labels && (
        <Suspense>
          <LabelDialog sessions={sessions} close={() => setLabels(false)} />
        </Suspense>
      )}
      {deletes && (
        <Suspense>
          <DeleteDialog sessions={sessions} deleted={clear} close={() => setDeletes(false)} />
        </Suspense>
      )}
    </>
  )
}

/** Has the browser save a text as a file. */
function download(text: string, name: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
