import { Button, Loader, Text, TextInput, Title } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ProblemAlert } from '../components/problem'
import drop from '../record/drop.module.css'
import { ComparisonResult } from './comparison'
import classes from './page.module.css'
import { compareExport } from './queries'

/** A provider's export that is dropped or chosen, and how it compares with what is recorded. */
export function ExportSection() {
  const [ignore, setIgnore] = useState('')
  const [over, setOver] = useState(false)
  const chooser = useRef<HTMLInputElement>(null)
  const comparison = useMutation({ mutationFn: (file: File) => compareExport(file, ignore) })
  const take = (list: FileList | null) => {
    const file = list?.[0]
    if (file !== undefined) comparison.mutate(file)
  }
  return (
    <section aria-labelledby="export" className={classes.section}>
      <Title order={2} size="h5" id="export">
        A provider’s export
      </Title>
      <div
        className={drop.zone}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          take(event.dataTransfer.files)
        }}
      >
        {comparison.isPending ? (
          <Loader size={28} aria-label="Comparing" />
        ) : (
          <IconFileUpload size={28} stroke={1.4} aria-hidden />
        )}
        <Text size="sm" fw={500}>
          Drop a usage or cost export here
        </Text>
        <Text size="xs" c="dimmed">
          Of OpenAI or Anthropic, CSV or JSON. It is compared by day, model and bucket, and not stored.
        </Text>
        <div className={classes.choose}>
          <TextInput
            size="xs"
            aria-label="Fields to leave out"
            placeholder="Fields to leave out"
            value={ignore}
            onChange={(event) => setIgnore(event.currentTarget.value)}
          />
          <Button size="xs" variant="default" onClick={() => chooser.current?.click()}>
            Choose a file
          </Button>
        </div>
        <input
          ref={chooser}
          type="file"
          accept=".csv,.json,text/csv,application/json"
          hidden
          aria-label="Export to compare"
          onChange={(event) => {
            take(event.currentTarget.files)
            event.currentTarget.value = ''
          }}
        />
      </div>
      <div role="status" className={classes.section}>
        {comparison.error !== null && <ProblemAlert error={comparison.error} />}
        {comparison.data !== undefined && (
          <ComparisonResult name={comparison.variables.name} comparison={comparison.data} />
        )}
      </div>
    </section>
  )
}
