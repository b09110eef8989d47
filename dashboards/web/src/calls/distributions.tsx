import { Title } from '@mantine/core'
import { duration } from '../format/duration'
import { counted } from '../format/numbers'
import { rate } from './columns'
import classes from './distributions.module.css'
import type { CallBin, CallReport } from './queries'

/** How many calls have which figure, drawn. */
export function Distributions({ of }: { of: NonNullable<CallReport['distributions']> }) {
  return (
    <>
      <Title order={2} size="h5">
        Distributions
      </Title>
      <div className={classes.all}>
        <Distribution name="Time to the first token" bins={of.first_token_ms} write={duration} />
        <Distribution name="Longest gap" bins={of.longest_gap_ms} write={duration} />
        <Distribution name="Tokens per second" bins={of.tokens_per_second} write={rate} />
        <Distribution name="Duration" bins={of.duration_ms} write={duration} />
      </div>
    </>
  )
}

/** Bars over bins whose widths grow by a constant factor. */
export function Distribution({
  name,
  bins,
  write,
}: {
  name: string
  bins: readonly CallBin[]
  write: (value: number) => string
}) {
  const first = bins[0]
  const last = bins.at(-1)
  if (first === undefined || last === undefined) return null
  const most = Math.max(...bins.map(({ calls }) => calls))
  const said = bins
    .filter(({ calls }) => calls > 0)
    .map(({ from, to, calls }) => `${counted(calls, 'call')} from ${write(from)} to ${write(to)}`)
  return (
    <figure className={classes.one}>
      <figcaption>{name}</figcaption>
      <div className={classes.bars} role="img" aria-label={`${name}: ${said.join(', ')}`}>
        {bins.map(({ from, to, calls }) => (
          <div
            key={from}
            className={classes.bar}
            style={{ height: `${(100 * calls) / most}%` }}
            title={`${counted(calls, 'call')} from ${write(from)} to ${write(to)}`}
          />
        ))}
      </div>
      <div className={classes.ends}>
        <span>{write(first.from)}</span>
        <span>{write(last.to)}</span>
      </div>
    </figure>
  )
}
