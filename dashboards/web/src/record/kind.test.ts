import { expect, test } from 'vitest'
import { kindOf } from './kind'

test.each([
  ['a.jsonl', '{"type":"x"}\n', 'application/x-ndjson'],
  ['a.txt', '\n\r\nevent: a\ndata: {}\n\n', 'text/event-stream'],
  ['a.txt', ': ping\n\n', 'text/event-stream'],
  ['a.log', 'data {"no":"field"}\n', 'application/x-ndjson'],
  ['a', '', 'application/x-ndjson'],
  ['a.bin', '\uFFFDtape\r\n\x1a', 'application/vnd.tapedeck.tape'],
  ['run.tape', '', 'application/vnd.tapedeck.tape'],
])('%s beginning with %j', (name, start, want) => expect(kindOf(name, start)).toBe(want))
