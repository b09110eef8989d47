import { expect, test } from 'vitest'
import { labelsOf } from './labels'

test('labels are between commas, without blanks around them', () => {
  expect(labelsOf(' bug ,eval: failed,, ')).toEqual(['bug', 'eval: failed'])
  expect(labelsOf(' , ')).toEqual([])
})
