import { expect, test } from 'vitest'
import { digestOf } from './digest'

// FIPS 180-4, the examples of SHA-256, and a million times "a".
test.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
])('the digest of %.10s…', async (text, digest) => {
  expect(await digestOf(new Blob([text]))).toBe(digest)
})
