import type { Schemas } from '../api/client'

/** Colours of a chart's layers, distinct on light and on dark, and by those who see few colours. */
export const palette: readonly string[] = [
  'var(--series-1)',
  'var(--series-2)',
  'var(--series-3)',
  'var(--series-4)',
  'var(--series-5)',
  'var(--series-6)',
  'var(--series-7)',
  'var(--series-8)',
]

/** Of each bucket of tokens its colour, the same wherever it is drawn. */
export const bucketColours: Record<Exclude<keyof Schemas['Tokens'], 'total'>, string> = {
  input: 'var(--series-1)',
  cache_read: 'var(--series-2)',
  cache_write_5m: 'var(--series-3)',
  cache_write_1h: 'var(--series-5)',
  output: 'var(--series-4)',
  reasoning: 'var(--series-8)',
}
