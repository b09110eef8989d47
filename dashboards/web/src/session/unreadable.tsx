import type { Schemas } from '../api/client'
import { counted } from '../format/numbers'
import classes from './page.module.css'

/** How many frames are not JSON, of a session in which no run was found. */
export function Unreadable({ session }: { session: Pick<Schemas['SessionDetail'], 'streams' | 'totals'> }) {
  const frames = session.streams.reduce((sum, { counters }) => sum + counters.not_json, 0)
  if (frames === 0 || session.totals.runs > 0) return null
  return (
    <p className={classes.end} data-mild>
      {counted(frames, 'frame is', 'frames are')} not JSON, and nothing is concluded from them.
    </p>
  )
}
