import type { Schemas } from '../api/client'

/** No tokens, for tests. */
export const noTokens: Schemas['Tokens'] = {
  input: 0,
  cache_read: 0,
  cache_write_5m: 0,
  cache_write_1h: 0,
  output: 0,
  reasoning: 0,
  total: 0,
}
