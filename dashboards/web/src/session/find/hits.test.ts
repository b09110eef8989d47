import { expect, test } from 'vitest'
import { conversationOf } from '../conversation/items'
import { message, span } from '../conversation/messages.fixture'
import { finderOf, hitsOf, nextHit } from './hits'

const spans = [
  span({
    id: 'r',
    kind: 'run',
    name: 'coder',
    duration_ms: 9000,
    status: 'error',
    error: 'the build failed',
    children: [span({ id: 't', name: 'bash', start_ms: 2000, duration_ms: 1000 })],
  }),
]
const messages = [
  message({ id: 'u', kind: 'user', text: 'Why did the Build fail?', start_ms: 10 }),
  message({
    id: 'a',
    text: 'The build,\nthe build',
    start_ms: 1000,
    // "The build," by 1.1 s, the rest by 1.2 s and 1.9 s.
    chunks: { offset_ms: [1100, 1200, 1900], end: [10, 14, 20] },
  }),
  message({
    id: 'q',
    kind: 'tool_arguments',
    name: 'bash',
    text: '{"command":"make build"}',
    span_id: 't',
    start_ms: 2000,
  }),
]
const find = (query: string) => hitsOf(conversationOf(messages, spans), spans, query)

test('finds all places in order of their moments, whatever the case', () => {
  expect(find('build').map(({ at, message, span }) => [at, message?.id ?? span?.id])).toEqual([
    [10, 'u'],
    [1100, 'a'],
    [1900, 'a'],
    [2000, 'q'],
    [9000, 'r'],
  ])
  expect(find('build').map(({ nth }) => nth)).toEqual([0, 0, 1, 0, 0])
})

test('finds words over the end of a line, and the names of spans', () => {
  expect(find('build, the').map(({ at }) => at)).toEqual([1200])
  expect(find('BASH').map(({ span }) => span?.id)).toEqual(['t'])
})

test('what is searched for is text, and no expression', () => {
  expect(find('.*')).toEqual([])
  expect(find('"command":"make')).toHaveLength(1)
  expect(find('   ')).toEqual([])
  for (const character of '\\^$.*+?()[]{}|/-')
    expect('a' + character + 'b').toMatch(finderOf(`a${character}b`) ?? 'no expression')
})

test('goes on from the hit, from the moment where there is none, and round', () => {
  const hits = find('build')
  const at = (hit: ReturnType<typeof nextHit>) => hit?.at
  expect(at(nextHit(hits, null, 1500, false))).toBe(1900)
  expect(at(nextHit(hits, null, 1500, true))).toBe(1100)
  expect(at(nextHit(hits, null, 9000, false))).toBe(10)
  expect(at(nextHit(hits, hits.at(-1)?.key ?? null, 0, false))).toBe(10)
  expect(at(nextHit(hits, hits.at(0)?.key ?? null, 0, true))).toBe(9000)
  expect(nextHit([], null, 0, false)).toBeUndefined()
})
