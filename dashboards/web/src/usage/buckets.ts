import type { Schemas } from '../api/client'

export type Bucket = Exclude<keyof Schemas['Tokens'], 'total'>

/** The buckets of tokens, of which each token is in one. */
export const buckets: readonly { bucket: Bucket; name: string; hint: string }[] = [
  { bucket: 'input', name: 'input', hint: 'Not from a cache, and not written to one.' },
  { bucket: 'cache_read', name: 'cache read', hint: 'Input that came from a cache.' },
  { bucket: 'cache_write_5m', name: 'cache write 5 m', hint: 'Input written to a cache for five minutes.' },
  { bucket: 'cache_write_1h', name: 'cache write 1 h', hint: 'Input written to a cache for an hour.' },
  { bucket: 'output', name: 'output', hint: 'Without reasoning.' },
  { bucket: 'reasoning', name: 'reasoning', hint: 'Output that is not shown.' },
]
