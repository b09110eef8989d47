import { expect, test } from 'vitest'
import { fold } from './fold'

test.each([
  ['', null],
  ['short', null],
  ['a\nb\nc', null],
  ['a\nb\nc\nd', null],
  ['a\nb\nc\nd\ne', { shown: 'a\nb', lines: 3, units: 6 }],
  ['a\nb\n\n\n\n\n', null],
  ['x'.repeat(24), null],
  ['x'.repeat(26), { shown: 'x'.repeat(20), lines: 0, units: 6 }],
  [`${'x'.repeat(19)}🎞${'y'.repeat(9)}`, { shown: 'x'.repeat(19), lines: 0, units: 11 }],
])('two lines or twenty units of %j', (text, want) => expect(fold(text, 2, 20)).toEqual(want))
