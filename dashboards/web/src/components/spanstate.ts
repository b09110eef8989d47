import type { Schemas } from '../api/client'

/** What a span was at a moment: not begun, open, or in its final status. */
export type SpanState = 'before' | 'running' | 'silent' | Exclude<Schemas['SpanStatus'], 'open' | ''>
