import { Table } from '@mantine/core'
import type { Schemas } from '../../api/client'
import { bytes, count } from '../../format/numbers'
import { Section } from './section'

type Stream = Schemas['Stream']

const counters: readonly { key: keyof Stream['counters']; name: string; about: string }[] = [
  { key: 'lost', name: 'lost', about: 'Frames lost at the source, by gaps in its ids.' },
  { key: 'repeated', name: 'repeated', about: 'Frames with the id of the one before.' },
  { key: 'back', name: 'out of order', about: 'Frames with an id below that of the one before.' },
  { key: 'unknown', name: 'of unknown type', about: 'Frames of a type that the dialect does not know.' },
  { key: 'not_json', name: 'not JSON', about: 'Frames that say something other than JSON.' },
  { key: 'invalid_utf8', name: 'not UTF-8', about: 'Frames whose bytes are not valid UTF-8.' },
  { key: 'oversize', name: 'over the size limit', about: 'Pieces of messages that are over the size limit.' },
]

/** The streams that the session came from, what was odd about their frames, and what was masked in them. */
export function StreamsTable({ streams }: { streams: readonly Stream[] }) {
  const masked = streams.some(({ redacted }) => Object.keys(redacted).length > 0)
  return (
    <Section title="Streams">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Source</Table.Th>
          <Table.Th>Dialect</Table.Th>
          <Table.Th>Transport</Table.Th>
          <Table.Th data-number>Frames</Table.Th>
          <Table.Th data-number>Size</Table.Th>
          <Table.Th>Ended</Table.Th>
          <Table.Th>Odd frames</Table.Th>
          {masked && <Table.Th>Masked secrets</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {streams.map((stream) => (
          <Table.Tr key={stream.stream_id}>
            <Table.Td title={stream.stream_id}>
              {stream.source === '' ? stream.stream_id : stream.source}
            </Table.Td>
            <Table.Td title={stream.evidence}>{stream.dialect === '' ? 'none' : stream.dialect}</Table.Td>
            <Table.Td>{stream.transport}</Table.Td>
            <Table.Td data-number>{count(stream.frames)}</Table.Td>
            <Table.Td data-number>{bytes(stream.bytes)}</Table.Td>
            <Table.Td data-wrong={stream.end_reason.startsWith('error')}>
              {stream.ended === null ? 'not yet' : stream.end_reason}
            </Table.Td>
            <Table.Td>{oddFrames(stream)}</Table.Td>
            {masked && <Table.Td>{maskedSecrets(stream)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Section>
  )
}

function oddFrames(stream: Stream) {
  const odd = counters.filter(({ key }) => stream.counters[key] > 0)
  if (odd.length === 0) return 'none'
  return odd.map(({ key, name, about }, i) => (
    <span key={key} title={about}>
      {i > 0 && ', '}
      {count(stream.counters[key])} {name}
    </span>
  ))
}

/** How many secrets were masked, by the rules that found them. */
function maskedSecrets({ redacted }: Stream) {
  const rules = Object.entries(redacted).sort(([a], [b]) => a.localeCompare(b))
  if (rules.length === 0) return 'none'
  return rules.map(([rule, n], i) => (
    <span key={rule} title={`Secrets that the rule ${rule} found were replaced before they were stored.`}>
      {i > 0 && ', '}
      {count(n)} {rule}
    </span>
  ))
}
