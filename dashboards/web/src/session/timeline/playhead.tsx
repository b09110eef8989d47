import { useCallback, useRef } from 'react'
import { useShown } from '../player/context'
import type { PlayerState } from '../player/player'
import classes from './playhead.module.css'
import type { Range } from './rows'
import type { Warp } from './warp'

/** The player's moment; what comes after it is veiled. Both are as wide as the axis and moved along it. */
export function Playhead({ range: { from, to }, warp }: { range: Range; warp: Warp }) {
  const veil = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLDivElement>(null)
  const show = useCallback(
    ({ offset }: PlayerState) => {
      const share = ((warp.draw(offset) - from) / (to - from)) * 100
      const place = (element: HTMLElement | null, at: number, hidden: boolean) => {
        if (element === null) return
        element.hidden = hidden
        if (!hidden) element.style.transform = `translateX(${at}%)`
      }
      place(veil.current, Math.max(share, 0), share >= 100)
      place(head.current, share, share < 0 || share > 100)
    },
    [from, to, warp],
  )
  useShown(show)
  return (
    <>
      <div ref={veil} className={classes.veil} />
      <div ref={head} className={classes.head} data-testid="playhead" />
    </>
  )
}
