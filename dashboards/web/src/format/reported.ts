import type { Schemas } from '../api/client'

/** Whether any usage was reported. If not, the zeros of its tokens mean that the figures are unknown. */
export function reported({ calls, tokens }: Pick<Schemas['Spent'], 'calls' | 'tokens'>): boolean {
  return calls > 0 || tokens.total !== 0
}
