import { expect, test } from 'vitest'
import { endText } from './endreason'

test.each([
  ['error: exit status 3', 'the recorded command exited with 3'],
  ['error: signal: killed', 'the recorded command was ended by a signal: killed'],
  ['error: signal: aborted (core dumped)', 'the recorded command was ended by a signal: aborted'],
  ['error: closed with 1011', 'the connection was closed with 1011'],
  ['error: the connection was cut after 3 bytes', 'the connection was cut after 3 bytes'],
])('the end %s of a stream is: %s', (reason, text) => {
  expect(endText(reason)).toBe(text)
})
