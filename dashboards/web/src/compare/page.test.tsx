// @vitest-environment jsdom
import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { answering, renderAt } from '../testing/render'
import ComparePage from './page'
import type { ComparedStep, Comparison, StepOf } from './queries'

afterEach(() => vi.restoreAllMocks())

const time = { waiting_ms: 500, first_token_ms: null, generation_ms: null, tool_ms: 1000 }

const step = (number: number, excerpt: string): StepOf => ({
  number,
  id: `s${number}`,
  position: `${number}.019cad0a-0000-7000-8000-000000000000.0`,
  start_ms: number * 1000,
  duration_ms: 1000,
  status: 'ok',
  agent: '',
  error: '',
  excerpt,
  time,
  tokens: null,
  cost: null,
})

const row = (index: number, change: Partial<ComparedStep>): ComparedStep => ({
  index,
  depth: 0,
  class: 'matched',
  kind: 'tool',
  name: 'read',
  changed: [],
  resynchronised: false,
  a: step(index + 1, 'x'),
  b: step(index + 1, 'x'),
  difference: { duration_ms: 0, time, tokens: null, cost: null },
  ...change,
})

const side = (session_id: string) => ({
  session_id,
  title: '',
  status: 'ok' as const,
  started: '2026-01-01T00:00:00Z',
  duration_ms: 9000,
  dialects: ['loom'],
  steps: 3,
  truncated: false,
  time,
  tokens: null,
  cost: null,
})

const comparison: Comparison = {
  a: side('works'),
  b: side('broken'),
  summary: {
    sentence: 'The same for 1 step; at +2.0 s A called bash, B called grep.',
    identical: false,
    same_steps: 1,
    classes: { matched: 1, only_a: 1, only_b: 1 },
    resynchronised: 0,
    duration_ms: 1500,
    time,
    tokens: null,
    cost: null,
  },
  first_divergence: {
    input: null,
    output: {
      what: 'tool_call',
      row: 1,
      a: step(2, 'make'),
      b: step(2, 'x'),
      names: [],
      text_a: 'make',
      text_b: 'needle',
      phrase: 'A called bash, B called grep',
    },
    action: null,
    cause: 'output',
  },
  steps: [
    row(0, {}),
    row(1, { class: 'only_a', name: 'bash', a: step(2, 'make'), b: null, difference: null }),
    row(2, { class: 'only_b', name: 'grep', a: null, b: step(2, 'needle'), difference: null }),
  ],
  agents: [],
  ignored: [{ rule: 'time', count: 2 }],
}

test('the sentence, what came first, and the steps of both', async () => {
  answering({ '/v1/compare': comparison })
  renderAt('/compare?a=works&b=broken', <ComparePage />)
  expect(await screen.findByText(comparison.summary.sentence)).toBeTruthy()
  const output = within(screen.getByRole('region', { name: 'First output that differs' }))
  expect(output.getByText('came first')).toBeTruthy()
  expect(output.getByText('needle')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Only A: Tool bash' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Same: Tool read' })).toBeTruthy()
  expect(screen.getByText(/Not compared: 2 times/)).toBeTruthy()
  expect(screen.getByText('+1.50 s')).toBeTruthy()
})

test('a row opens to what differs in it', async () => {
  const detail = [
    {
      field: 'result',
      same: false,
      a: 'one two',
      b: 'one 2',
      cut: false,
      words: [
        { op: 'same', text: 'one ' },
        { op: 'a', text: 'two' },
        { op: 'b', text: '2' },
      ],
      paths: [],
      more: false,
    },
    {
      field: 'arguments',
      same: false,
      a: '{}',
      b: '{}',
      cut: false,
      words: [],
      paths: [{ path: '$.n', a: '1', b: null }],
      more: false,
    },
  ]
  const asked = answering({
    '/v1/compare': {
      ...comparison,
      steps: [{ ...comparison.steps[0], detail }, ...comparison.steps.slice(1)],
    },
  })
  renderAt('/compare?a=works&b=broken', <ComparePage />)
  await userEvent.click(await screen.findByRole('button', { name: 'Same: Tool read' }))
  const result = within(await screen.findByRole('region', { name: 'Result' }))
  expect(result.getByText('two').tagName).toBe('DEL')
  expect(result.getByText('2').tagName).toBe('INS')
  expect(within(screen.getByRole('region', { name: 'Arguments' })).getByText('$.n')).toBeTruthy()
  expect(asked('/v1/compare').at(-1)).toEqual({ a: 'works', b: 'broken', row: 0 })
})

test('n goes to the next difference', async () => {
  answering({ '/v1/compare': comparison })
  Element.prototype.scrollIntoView = vi.fn()
  renderAt('/compare?a=works&b=broken', <ComparePage />)
  await screen.findByText(comparison.summary.sentence)
  await userEvent.keyboard('n')
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Only A: Tool bash')
  await userEvent.keyboard('n')
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Only B: Tool grep')
  await userEvent.keyboard('p')
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Only A: Tool bash')
})

test('the second session is chosen from the others, and the older one is A', async () => {
  answering({
    '/v1/sessions/{id}': { ...side('works'), started: '2026-03-02T10:00:00Z' },
    '/v1/sessions': {
      items: ['works', 'broken'].map((id) => ({
        ...side(id),
        id,
        tags: {},
        started: '2026-03-02T09:00:00Z',
      })),
      next: null,
    },
  })
  renderAt('/compare?a=works', <ComparePage />)
  const list = within(await screen.findByRole('list', { name: 'Sessions' }))
  const link = await list.findByRole('link', { name: /broken/ })
  await waitFor(() => expect(link.getAttribute('href')).toBe('/compare?a=broken&b=works'))
  expect(list.queryByRole('link', { name: /works/ })).toBeNull()
})
