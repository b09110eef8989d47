import { expect, test } from 'vitest'
import { bytesCutOff } from './cut'

test('the attributes show what was cut off', () => {
  expect(bytesCutOff({ attributes: { truncated_bytes: 7, a: 1 } })).toBe(7)
  for (const attributes of [null, {}, { truncated_bytes: 'many' }, { truncated_bytes: -1 }])
    expect(bytesCutOff({ attributes })).toBe(0)
})
