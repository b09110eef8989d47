import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Schemas } from '../../api/client'
import { densityQuery } from '../queries'
import type { Range } from './rows'
import { silencesOf, straight, type Warp, warpOf } from './warp'

/** The axis of a timeline with its silences folded, if they are to be, and whether it has any. */
export function useWarp(
  timeline: Schemas['Timeline'],
  all: Range,
  folds: boolean,
): { warp: Warp; silent: number } {
  const density = useQuery(densityQuery(timeline.session_id)).data
  const silent = useMemo(
    () => (density === undefined ? [] : silencesOf(density, timeline.spans, timeline.duration_ms)),
    [density, timeline.spans, timeline.duration_ms],
  )
  const { from, to } = all
  const warp = useMemo(() => (folds ? warpOf(silent, from, to) : straight), [folds, silent, from, to])
  return { warp, silent: silent.length }
}
