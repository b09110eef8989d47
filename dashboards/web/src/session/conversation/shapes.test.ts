import { expect, test } from 'vitest'
import { headline, shapeOf } from './shapes'

const patch = '*** Begin Patch\n*** Update File: a.go\n@@\n-a\n+b\n*** End Patch'

test.each<[string, unknown, unknown]>([
  [
    'Edit',
    { file_path: 'a.go', old_string: 'x', new_string: 'y' },
    { kind: 'edit', path: 'a.go', edits: [{ before: 'x', after: 'y' }] },
  ],
  [
    'MultiEdit',
    { file_path: 'a', edits: [{ old_string: 'x', new_string: '' }, { old_string: 1 }, null] },
    { kind: 'edit', path: 'a', edits: [{ before: 'x', after: '' }] },
  ],
  ['Write', { file_path: 'a', content: 'text' }, { kind: 'write', path: 'a', text: 'text' }],
  ['apply_patch', patch, { kind: 'patch', text: patch }],
  ['apply_patch', { input: patch }, { kind: 'patch', text: patch }],
  ['shell', { command: ['apply_patch', patch] }, { kind: 'patch', text: patch }],
  [
    'Bash',
    { command: 'make e2e', description: 'Run' },
    { kind: 'command', command: 'make e2e', note: 'Run' },
  ],
  ['shell', { command: ['bash', '-lc', 'ls -la'] }, { kind: 'command', command: 'ls -la', note: '' }],
  ['exec_command', { cmd: 'ls' }, { kind: 'command', command: 'ls', note: '' }],
  ['shell', { command: ['rg', 'a b'] }, { kind: 'command', command: "rg 'a b'", note: '' }],
  ['Read', { file_path: 'a', offset: 40 }, { kind: 'read', path: 'a', from: 40 }],
  ['read', { path: 'a' }, { kind: 'read', path: 'a', from: 1 }],
  ['WebSearch', { query: 'ts 5.6' }, { kind: 'web', query: 'ts 5.6', url: '' }],
  [
    'WebFetch',
    { url: 'https://a.example', prompt: 'p' },
    { kind: 'web', query: '', url: 'https://a.example' },
  ],
  ['Glob', { pattern: '*.ts' }, null],
  ['Bash', { command: 5 }, null],
  ['Bash', null, null],
  ['Bash', [1], null],
])('%s %j', (name, args, want) => expect(shapeOf(name, args)).toEqual(want))

test.each<[string, unknown, string]>([
  ['Bash', { command: 'make e2e\nmore' }, 'make e2e'],
  ['Edit', { file_path: 'a.go', old_string: 'x', new_string: 'y' }, 'a.go'],
  ['apply_patch', patch, 'a.go'],
  ['Grep', { pattern: 'x|y', glob: '*' }, 'x|y'],
  ['weather', { days: 3, city: 'Bonn' }, '3'],
  ['weather', {}, ''],
  ['weather', 'Bonn', 'Bonn'],
  ['Bash', { command: 'x'.repeat(1e6) }, `${'x'.repeat(160)}…`],
])('%s %j is about %s', (name, args, want) => expect(headline(name, args)).toBe(want))
