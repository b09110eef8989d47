import { Button } from '@mantine/core'
import { useState } from 'react'
import { Time } from '../components/time'
import { bytes } from '../format/numbers'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import { PolicyDialog } from './dialog'
import type { Policy } from './queries'
import { ageText, kindText } from './words'

/** The policy of every kind. */
export function Policies({ policies }: { policies: Policy[] }) {
  const [changed, setChanged] = useState<Policy | null>(null)
  const columns: Column<Policy>[] = [
    { name: 'kind', key: ({ kind }) => kind, cell: ({ kind }) => <span title={kindText[kind]}>{kind}</span> },
    {
      name: 'kept for',
      figure: true,
      key: ({ max_age_s }) => max_age_s,
      cell: ({ max_age_s }) => ageText(max_age_s),
    },
    {
      name: 'up to',
      hint: 'Beyond it the oldest sessions expire.',
      figure: true,
      key: ({ max_bytes }) => max_bytes,
      cell: ({ max_bytes }) => (max_bytes === null ? 'no limit' : bytes(max_bytes)),
    },
    {
      name: 'set',
      key: ({ set_at }) => set_at,
      cell: ({ set_at, set_by }) =>
        set_at === null ? (
          '–'
        ) : (
          <span title={set_by}>
            <Time at={set_at} />
          </span>
        ),
    },
    {
      name: 'change',
      key: () => null,
      cell: (policy) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Change ${policy.kind}`}
          onClick={() => setChanged(policy)}
        >
          Change
        </Button>
      ),
    },
  ]
  return (
    <>
      <ReportTable label="Policies" columns={columns} rows={policies} rowKey={({ kind }) => kind} />
      {changed !== null && (
        <PolicyDialog key={changed.kind} policy={changed} close={() => setChanged(null)} />
      )}
    </>
  )
}
