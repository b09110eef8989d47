import { Table } from '@mantine/core'
import { count } from '../../format/numbers'
import { buckets, type ModelTotal } from './calls'
import { CostCell } from './costcell'
import { hasCosts } from './costs'
import { Section } from './section'

/** Tokens by model and bucket, and their cost. */
export function ModelsTable({ models }: { models: readonly ModelTotal[] }) {
  if (models.length === 0) return null
  const shown = buckets.filter(({ key }) => models.some(({ tokens }) => tokens !== null && tokens[key] !== 0))
  const priced = models.some(({ costs }) => hasCosts(costs))
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
          {priced && <Table.Th data-number>Cost</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {models.map(({ model, calls, tokens, costs }) => (
          <Table.Tr key={model ?? ''}>
            <Table.Td>{model === null || model === '' ? 'unknown' : model}</Table.Td>
            <Table.Td data-number>{count(calls)}</Table.Td>
            {shown.map(({ key }) => (
              <Table.Td key={key} data-number>
                {tokens === null ? '–' : count(tokens[key])}
              </Table.Td>
            ))}
            <Table.Td data-number>{tokens === null ? '–' : count(tokens.total)}</Table.Td>
            {priced && (
              <Table.Td data-number>
                <CostCell costs={costs} />
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Section>
  )
}
