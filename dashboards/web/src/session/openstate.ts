import { createContext, use } from 'react'
import type { Schemas } from '../api/client'
import { usePlayerState } from './player/context'

/** The state of a span that is open at the end of the data of its session. */
export type OpenState = 'running' | 'silent' | 'unclosed'

/** A quiet session may go on; one that is over, or whose recorder is gone, leaves its spans open. */
export function openStateOf({ status }: Pick<Schemas['SessionHead'], 'status'>): OpenState {
  return status === 'running' ? 'running' : status === 'quiet' ? 'silent' : 'unclosed'
}

export const OpenStateContext = createContext<OpenState>('running')

/** How a span that is open stands at the player's moment: before the last frame it ran. */
export function useOpenState(): OpenState {
  const last = use(OpenStateContext)
  return usePlayerState(({ offset, edge }) => (offset < edge ? 'running' : last))
}
