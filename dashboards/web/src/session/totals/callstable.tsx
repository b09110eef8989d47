import { Button, Table } from '@mantine/core'
import { useState } from 'react'
import { took } from '../../format/duration'
import { count, counted } from '../../format/numbers'
import { MomentLink } from '../moment'
import { buckets, type ModelCall } from './calls'
import { CostCell } from './costcell'
import { hasCosts } from './costs'
import { Section } from './section'
import classes from './totals.module.css'

/** Rows that are shown at first, and more at a time. */
const page = 50

/** Every model call: when, for how long, with which tokens, and what it cost. */
export function CallsTable({ calls, started }: { calls: readonly ModelCall[]; started: string }) {
  const [most, setMost] = useState(page)
  if (calls.length === 0) return null
  const shown = buckets.filter(({ key }) => calls.some(({ tokens }) => tokens !== null && tokens[key] !== 0))
  const left = calls.length - most
  const firsts = calls.some(({ firstToken }) => firstToken !== null)
  const priced = calls.some(({ costs }) => hasCosts(costs))
  return (
    <Section title="Model calls" note={count(calls.length)}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>At</Table.Th>
          <Table.Th>Call</Table.Th>
          <Table.Th data-number>Took</Table.Th>
          {firsts && <Table.Th data-number>First output</Table.Th>}
          {shown.map(({ key, name, about }) => (
            <Table.Th key={key} data-number title={about}>
              {name}
            </Table.Th>
          ))}
          <Table.Th data-number>Tokens</Table.Th>
          {priced && (
            <Table.Th data-number data-pinned>
              Cost
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {calls.slice(0, most).map((call) => (
          <Table.Tr key={call.id}>
            <Table.Td>
              <MomentLink ms={call.at} started={started} />
            </Table.Td>
            <Table.Td>{call.model === null || call.model === '' ? call.name : call.model}</Table.Td>
            <Table.Td data-number>{took(call.took)}</Table.Td>
            {firsts && <Table.Td data-number>{took(call.firstToken)}</Table.Td>}
            {shown.map(({ key }) => (
              <Table.Td key={key} data-number>
                {call.tokens === null ? '–' : count(call.tokens[key])}
              </Table.Td>
            ))}
            <Table.Td
              data-number
              data-wrong={call.discrepancy}
              title={call.discrepancy ? 'Its source states another total.' : undefined}
            >
              {call.tokens === null ? 'not reported' : count(call.tokens.total)}
              {call.discrepancy && ' ≠'}
              {call.duplicate && (
                <span
                  className={`${classes.label} ${classes.duplicate}`}
                  title="A recorded stream states the same call. Sums have that one."
                >
                  counted in its stream
                </span>
              )}
            </Table.Td>
            {priced && (
              <Table.Td data-number data-pinned>
                <CostCell costs={call.costs} />
              </Table.Td>
            )}
          </Table.Tr>
        ))}
        {left > 0 && (
          <Table.Tr>
            <Table.Td colSpan={4 + shown.length + (firsts ? 1 : 0) + (priced ? 1 : 0)}>
              <Button size="compact-xs" variant="subtle" onClick={() => setMost(most * 4)}>
                Show more ({counted(left, 'call')} left)
              </Button>
            </Table.Td>
          </Table.Tr>
        )}
      </Table.Tbody>
    </Section>
  )
}
