import { TextInput, Title } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../components/loading'
import { ProblemAlert } from '../components/problem'
import { DropZone } from '../record/dropzone'
import { ComparisonResult } from './comparison'
import classes from './page.module.css'
import { compareExport } from './queries'

/** A provider's export that is dropped or chosen, and how it compares with what is recorded. */
export function ExportSection() {
  const [ignore, setIgnore] = useState('')
  const comparison = useMutation({ mutationFn: (file: File) => compareExport(file, ignore) })
  const take = ([file]: readonly File[]) => {
    if (file !== undefined) comparison.mutate(file)
  }
  return (
    <section aria-labelledby="export" className={classes.section}>
      <Title order={2} size="h5" id="export">
        A provider’s export
      </Title>
      <DropZone
        icon={
          comparison.isPending ? (
            <Loading size={28} label="Comparing" />
          ) : (
            <IconFileUpload size={28} stroke={1.4} aria-hidden />
          )
        }
        title="Drop a usage or cost export here"
        note="Of OpenAI or Anthropic, CSV or JSON. It is compared by day, model and bucket, and not stored."
        label="Export to compare"
        button="Choose a file"
        accept=".csv,.json,text/csv,application/json"
        take={take}
      >
        <TextInput
          size="xs"
          aria-label="Fields to leave out"
          placeholder="Fields to leave out"
          value={ignore}
          onChange={(event) => setIgnore(event.currentTarget.value)}
        />
      </DropZone>
      <div role="status" className={classes.section}>
        {comparison.error !== null && <ProblemAlert error={comparison.error} />}
        {comparison.data !== undefined && (
          <ComparisonResult name={comparison.variables.name} comparison={comparison.data} />
        )}
      </div>
    </section>
  )
}
