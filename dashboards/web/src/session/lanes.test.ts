import { expect, test } from 'vitest'
import type { Schemas } from '../api/client'
import { span as spanOf } from './conversation/messages.fixture'
import { lanesOf } from './lanes'

const span = (id: string, kind: Schemas['Span']['kind'], name: string, children: Schemas['Span'][] = []) =>
  spanOf({ id, kind, name, children })

test('what a sub-agent does is in its lane, with its name and its task; other calls are in none', () => {
  const lanes = lanesOf(
    [
      span('run', 'run', '', [
        span('read', 'tool', 'Read'),
        span('t1', 'tool', 'Task', [span('n1', 'node', 'auditor', [span('l1', 'llm', 'claude')])]),
        span('t2', 'tool', 'Task', [span('n2', 'node', 'auditor', [span('r2', 'tool', 'Read')])]),
      ]),
    ],
    new Map([
      ['t1', 'Audit billing'],
      ['t2', 'Audit search'],
    ]),
  )
  expect([...lanes].map(([id, { colour, title }]) => `${id} ${colour} ${title}`)).toEqual([
    't1 0 auditor: Audit billing',
    'n1 0 auditor: Audit billing',
    'l1 0 auditor: Audit billing',
    't2 1 auditor: Audit search',
    'n2 1 auditor: Audit search',
    'r2 1 auditor: Audit search',
  ])
})
