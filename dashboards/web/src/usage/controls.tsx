import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { FindingsButton } from '../filters/findingsbutton'
import { callsAddress, usageAddress, type ReportParams } from '../reports/params'
import { FilterButton } from '../filters/filterbutton'

/** Further costs of the same usage, and the export of calls. */
export function UsageControls({
  report,
  change,
}: {
  report: ReportParams
  change: (part: Partial<ReportParams>) => void
}) {
  return (
    <>
      <FilterButton
        name="Re-price"
        value={[report.asOf, report.whatIf].filter((part) => part !== '').join(', ')}
      >
        {(close) => (
          <RepriceForm
            report={report}
            apply={(part) => {
              close()
              change(part)
            }}
          />
        )}
      </FilterButton>
      <FindingsButton
        shown={report.findings}
        title="Show what does not add up in the sessions of each row"
        change={(findings) => change({ findings })}
      />
      <FilterButton name="Export" value="">
        {() => (
          <Stack gap={6}>
            <Text size="xs" c="dimmed">
              The table.
            </Text>
            {(['csv', 'ndjson', 'parquet'] as const).map((format) => (
              <Anchor key={format} size="sm" href={usageAddress(report, format)} download>
                {`Table as ${names[format]}`}
              </Anchor>
            ))}
            <Text size="xs" c="dimmed">
              One row for each call, with everything its cost was computed from.
            </Text>
            {(['csv', 'ndjson', 'parquet'] as const).map((format) => (
              <Anchor key={format} size="sm" href={callsAddress(report, format)} download>
                {`Calls as ${names[format]}`}
              </Anchor>
            ))}
          </Stack>
        )}
      </FilterButton>
    </>
  )
}

const names = { csv: 'CSV', ndjson: 'NDJSON', parquet: 'Parquet' }

function RepriceForm({
  report,
  apply,
}: {
  report: ReportParams
  apply: (part: Pick<ReportParams, 'asOf' | 'whatIf'>) => void
}) {
  const [asOf, setAsOf] = useState(report.asOf)
  const [whatIf, setWhatIf] = useState(report.whatIf)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        apply({ asOf, whatIf: whatIf.trim() })
      }}
    >
      <Stack gap="xs">
        <TextInput
          size="xs"
          type="date"
          label="At the prices of"
          value={asOf}
          onChange={(event) => setAsOf(event.currentTarget.value)}
          data-autofocus
        />
        <TextInput
          size="xs"
          label="As calls of the model"
          placeholder="Name of a model"
          value={whatIf}
          onChange={(event) => setWhatIf(event.currentTarget.value)}
        />
        <Group gap="xs" justify="flex-end">
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            onClick={() => apply({ asOf: '', whatIf: '' })}
          >
            Clear
          </Button>
          <Button size="compact-xs" type="submit">
            Apply
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
