import { NativeSelect, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Schemas } from '../../api/client'
import { duration } from '../../format/duration'
import { counted, percent } from '../../format/numbers'
import { MomentLink } from '../moment'
import { transcriptQuery } from '../queries'
import { endOf } from '../timeline/span'
import { useGo } from '../useplace'
import { madeIn, pathOf, type Step, splitOf, spendings } from './path'
import { Section } from './section'
import classes from './totals.module.css'

/** How many runs are listed, and how many steps of one. */
const mostRuns = 50
const mostSteps = 100

/** Where the time of each run went by its critical path, and that path of one of them. */
export function TimeSection({ timeline }: { timeline: Schemas['Timeline'] }) {
  const transcript = useQuery(transcriptQuery(timeline.session_id)).data
  const all = useMemo(
    () =>
      timeline.spans
        .filter(({ kind }) => kind === 'run')
        .map((run, i) => ({ run, name: `Run ${i + 1}`, end: endOf(run) ?? timeline.duration_ms })),
    [timeline],
  )
  const made = useMemo(() => madeIn(transcript ?? [], timeline.started), [transcript, timeline])
  const runs = useMemo(
    () => all.slice(0, mostRuns).map((one) => ({ ...one, steps: pathOf(one.run, one.end, made) })),
    [all, made],
  )
  const [chosen, choose] = useState<string | null>(null)
  const shown = all.find(({ run }) => run.id === chosen) ?? longestOf(all)
  const steps = useMemo(() => (shown === undefined ? [] : pathOf(shown.run, shown.end, made)), [shown, made])
  if (shown === undefined || lasting(steps) <= 0) return null
  return (
    <>
      <Section title="Time of runs" note="by what determined it">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Run</Table.Th>
            <Table.Th data-number>Took</Table.Th>
            {spendings.map((use) => (
              <Table.Th key={use} data-number>
                {names[use]}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.map(({ run, name, steps }) => {
            const [split, all] = [splitOf(steps), lasting(steps)]
            return (
              <Table.Tr key={run.id}>
                <Table.Td>{name}</Table.Td>
                <Table.Td data-number>{duration(all)}</Table.Td>
                {spendings.map((use) => (
                  <Table.Td key={use} data-number>
                    {split[use] === 0 ? '–' : `${duration(split[use])}, ${percent(split[use] / all)}`}
                  </Table.Td>
                ))}
              </Table.Tr>
            )
          })}
          {all.length > mostRuns && (
            <Table.Tr>
              <Table.Td colSpan={2 + spendings.length}>
                and {counted(all.length - mostRuns, 'more run')}
              </Table.Td>
            </Table.Tr>
          )}
        </Table.Tbody>
      </Section>
      {all.length > 1 && (
        <NativeSelect
          size="xs"
          maw={160}
          aria-label="Whose critical path"
          value={shown.run.id}
          data={all.map(({ run, name }) => ({ value: run.id, label: name }))}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        />
      )}
      <Path name={shown.name} steps={steps} started={timeline.started} />
    </>
  )
}

interface Run {
  run: Schemas['Span']
  name: string
  /** ms from the session's start. */
  end: number
}

/** The run that took longest, the first of several. */
function longestOf(runs: readonly Run[]): Run | undefined {
  let longest = runs[0]
  for (const one of runs)
    if (longest !== undefined && one.end - one.run.start_ms > longest.end - longest.run.start_ms)
      longest = one
  return longest
}

const names = { model: 'Model', tool: 'Tools', queue: 'Queue', unattributed: 'Unattributed' }

/** The steps that determined how long a run took, in their order. */
function Path({ name, steps, started }: { name: string; steps: readonly Step[]; started: string }) {
  const go = useGo()
  const all = lasting(steps)
  return (
    <Section
      title={`Critical path of ${name}`}
      note={`${counted(steps.length, 'step')}; what ran beside them took no time of the run`}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Step</Table.Th>
          <Table.Th data-number>Took</Table.Th>
          <Table.Th data-number>Of the run</Table.Th>
          <Table.Th>Waited for</Table.Th>
          <Table.Th>At</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {steps.slice(0, mostSteps).map((step, i) => (
          <Table.Tr key={step.from}>
            <Table.Td>
              <button
                className={classes.step}
                onClick={() => go({ tab: 'timeline', span: step.span.id }, 'push')}
              >
                {nameOf(step)}
              </button>
            </Table.Td>
            <Table.Td data-number>{duration(step.to - step.from)}</Table.Td>
            <Table.Td data-number>{percent((step.to - step.from) / all)}</Table.Td>
            <Table.Td>{waitedFor(steps, i)}</Table.Td>
            <Table.Td>
              <MomentLink ms={step.from} started={started} />
            </Table.Td>
          </Table.Tr>
        ))}
        {steps.length > mostSteps && (
          <Table.Tr>
            <Table.Td colSpan={5}>and {counted(steps.length - mostSteps, 'more step')}</Table.Td>
          </Table.Tr>
        )}
      </Table.Tbody>
    </Section>
  )
}

/** The call that a step could not begin before: the one that ended where it began. */
function waitedFor(steps: readonly Step[], i: number): string {
  const [step, before] = [
    steps[i],
    steps.slice(0, i).findLast(({ use }) => use === 'model' || use === 'tool'),
  ]
  if (step === undefined || before === undefined || step.use === 'unattributed' || before.span === step.span)
    return '–'
  return nameOf(before)
}

function nameOf({ use, span }: Step): string {
  const name = span.name === '' ? span.kind : span.name
  if (use === 'queue') return `${name}, not begun`
  return use === 'unattributed' ? `in ${name}, no call` : name
}

function lasting(steps: readonly Step[]): number {
  const [first, last] = [steps[0], steps.at(-1)]
  return first === undefined || last === undefined ? 0 : last.to - first.from
}
