import { Table } from '@mantine/core'
import { count } from '../../format/numbers'
import { buckets, type ModelTotal } from './calls'
import { Section } from './section'

/** Tokens by model and bucket. */
export function ModelsTable({ models }: { models: readonly ModelTotal[] }) {
  if (models.length === 0) return null
  const shown = buckets.filter(({ key }) => models.some(({ tokens }) => tokens !== null && tokens[key] !== 0))
  return (
    <Section title="Models">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Model</Table.Th>
          <Table.Th data-number>Calls</Table.Th>
          {shown.map(({ key, name, about }) => (
            <Table.Th key={key} data-number title={about}>
              {name}
            </Table.Th>
          ))}
          <Table.Th data-number>Tokens</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {models.map(({ model, calls, tokens }) => (
          <Table.Tr key={model ?? ''}>
            <Table.Td>{model === null || model === '' ? 'unknown' : model}</Table.Td>
            <Table.Td data-number>{count(calls)}</Table.Td>
            {shown.map(({ key }) => (
              <Table.Td key={key} data-number>
                {tokens === null ? '–' : count(tokens[key])}
              </Table.Td>
            ))}
            <Table.Td data-number>{tokens === null ? '–' : count(tokens.total)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Section>
  )
}
