import { fullTime, shortTime, utcTime } from '../format/moment'

/** A time in the viewer's zone, as short as it can be told; in full and in UTC where it is pointed at. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={`${fullTime(at)}\n${utcTime(at)}`} className="figures">
      {shortTime(at)}
    </time>
  )
}
