import { Table } from '@mantine/core'
import type { Schemas } from '../../api/client'
import { ago, fullTime, shortTime } from '../../format/moment'
import { percent } from '../../format/numbers'
import { Section } from './section'
import classes from './totals.module.css'

type Limit = Schemas['SessionDetail']['limits'][number]

/** The limits of the session's account as they were last stated. They are no usage and no cost. */
export default function LimitsTable({ limits, now = new Date() }: { limits: readonly Limit[]; now?: Date }) {
  return (
    <Section title="Limits of the account" note="as last stated; they count in no cost">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Limit</Table.Th>
          <Table.Th>Plan</Table.Th>
          <Table.Th data-number>Window</Table.Th>
          <Table.Th>Used</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Resets</Table.Th>
          <Table.Th>Stated</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {limits.map((limit) => (
          <Table.Tr key={`${limit.dialect} ${limit.name}`}>
            <Table.Td title={limit.dialect}>{limit.name}</Table.Td>
            <Table.Td>{orDash(limit.plan)}</Table.Td>
            <Table.Td data-number>{windowText(limit.window_s)}</Table.Td>
            <Table.Td>
              {limit.used_percent !== null && <Meter percent={limit.used_percent} />}
              {orDash(usedText(limit))}
            </Table.Td>
            <Table.Td>{orDash(limit.status)}</Table.Td>
            <Table.Td title={limit.resets_at === null ? undefined : fullTime(limit.resets_at)}>
              {resetText(limit.resets_at, now)}
            </Table.Td>
            <Table.Td title={fullTime(limit.stated_at)}>{ago(limit.stated_at, now.getTime())}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Section>
  )
}

/** A bar for a share; it is full beyond the limit. The text beside it has the figure. */
function Meter({ percent }: { percent: number }) {
  return (
    <span className={classes.meter} data-full={percent >= 90} aria-hidden>
      <i style={{ width: `${Math.min(percent, 100)}%` }} />
    </span>
  )
}

function orDash(text: string): string {
  return text === '' ? '–' : text
}

/** The length of a window in its largest whole unit. */
function windowText(seconds: number | null): string {
  if (seconds === null) return '–'
  for (const [unit, length] of [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
  ] as const) {
    if (seconds % length === 0) return `${seconds / length} ${unit}`
  }
  return `${seconds} s`
}

const figure = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

function usedText(limit: Limit): string {
  const parts: string[] = []
  const { used_percent: used } = limit
  if (used !== null) parts.push(used > 100 ? `${Math.round(used)} %` : percent(used / 100))
  if (limit.used !== null && limit.max !== null) {
    parts.push(`${figure.format(limit.used)} of ${figure.format(limit.max)}`)
  } else if (limit.used !== null) {
    parts.push(figure.format(limit.used))
  } else if (limit.max !== null) {
    parts.push(`of ${figure.format(limit.max)}`)
  }
  if (limit.balance !== null) parts.push(`${limit.balance} left`)
  if (limit.unlimited) parts.push('unlimited')
  return parts.join(', ')
}

function resetText(at: string | null, now: Date): string {
  if (at === null) return '–'
  return Date.parse(at) <= now.getTime() ? `was reset ${shortTime(at, now)}` : shortTime(at, now)
}
