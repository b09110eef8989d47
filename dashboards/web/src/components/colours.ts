import type { Schemas } from '../api/client'

/** Colours of a chart's layers, distinct on light and on dark, and by those who see few colours. */
export const palette: readonly string[] = [
  '#e8650f',
  '#2f7fd6',
  '#17a589',
  '#a065d6',
  '#d9a400',
  '#5c6bc0',
  '#d6527f',
  '#8a8f98',
]

/** Of each bucket of tokens its colour, the same wherever it is drawn. */
export const bucketColours: Record<Exclude<keyof Schemas['Tokens'], 'total'>, string> = {
  input: '#e8650f',
  cache_read: '#2f7fd6',
  cache_write_5m: '#d9a400',
  cache_write_1h: '#d6527f',
  output: '#17a589',
  reasoning: '#a065d6',
}
