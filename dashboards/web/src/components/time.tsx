import { fullTime, shortTime, utcTime } from '../format/moment'

/** A time in the viewer's zone, in its shortest form; the tooltip has it in full and in UTC. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={`${fullTime(at)}\n${utcTime(at)}`} className="figures">
      {shortTime(at)}
    </time>
  )
}
