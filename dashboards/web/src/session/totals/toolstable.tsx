import { Table } from '@mantine/core'
import { took } from '../../format/duration'
import { count } from '../../format/numbers'
import { MomentLink } from '../moment'
import type { ToolTotal } from './calls'
import { Section } from './section'

/** The tools with their calls, errors and times; the longest call of each is a click away. */
export function ToolsTable({ tools, started }: { tools: readonly ToolTotal[]; started: string }) {
  if (tools.length === 0) return null
  return (
    <Section title="Tools">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Tool</Table.Th>
          <Table.Th data-number>Calls</Table.Th>
          <Table.Th data-number>Errors</Table.Th>
          <Table.Th data-number>Open</Table.Th>
          <Table.Th data-number>p50</Table.Th>
          <Table.Th data-number>Longest</Table.Th>
          <Table.Th>At</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tools.map(({ name, calls, errors, open, median, longest }) => (
          <Table.Tr key={name}>
            <Table.Td>{name === '' ? 'unknown' : name}</Table.Td>
            <Table.Td data-number>{count(calls.length)}</Table.Td>
            <Table.Td data-number data-wrong={errors > 0}>
              {count(errors)}
            </Table.Td>
            <Table.Td data-number>{count(open)}</Table.Td>
            <Table.Td data-number>{took(median)}</Table.Td>
            <Table.Td data-number>{took(longest?.duration_ms ?? null)}</Table.Td>
            <Table.Td>{longest !== null && <MomentLink ms={longest.start_ms} started={started} />}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Section>
  )
}
