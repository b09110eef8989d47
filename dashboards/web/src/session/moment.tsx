import { memo, use } from 'react'
import { clock } from '../format/duration'
import { GoToContext } from './context'
import { momentText } from './place'
import { usePlayer } from './player/context'
import { useGo } from './useplace'
import classes from './moment.module.css'

/** A moment of the tape, which the player goes to. `ms` counts from the session's start. */
export const MomentLink = memo(function MomentLink({ ms, started }: { ms: number; started: string }) {
  const player = usePlayer()
  const go = useGo()
  const goTo = use(GoToContext)
  const text = clock(ms)
  return (
    <button
      className={classes.link}
      title={`${new Date(Date.parse(started) + ms).toISOString()} – show this moment`}
      aria-label={`Go to ${text}`}
      onClick={() => {
        if (goTo !== null) {
          goTo(ms)
          return
        }
        go({ t: momentText(ms) }, 'push')
        player.seek(ms)
      }}
    >
      {text}
    </button>
  )
})
