import { fullTime, shortTime, utcTime } from '../format/moment'
import { viewerZone } from '../format/zone'

/** A time in its shortest form, in the viewer's zone or another; the tooltip has it in full and in UTC. */
export function Time({ at, zone = viewerZone }: { at: string; zone?: string }) {
  return (
    <time dateTime={at} title={`${fullTime(at, zone)}\n${utcTime(at)}`}>
      {shortTime(at, new Date(), zone)}
    </time>
  )
}
