import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { StatusBadge } from '../components/status'
import { Time } from '../components/time'
import { duration, took } from '../format/duration'
import { count, money } from '../format/numbers'
import { Letter } from './letter'
import type { Comparison } from './queries'
import classes from './sides.module.css'
import { TimeBar, timeParts } from './timebar'

/** Both sessions with their times, tokens and costs, and the differences. */
export function Sides({ comparison }: { comparison: Comparison }) {
  const { a, b, summary } = comparison
  const longest = Math.max(
    ...[a, b].map(({ time }) => timeParts.reduce((sum, { of }) => sum + (of(time) ?? 0), 0)),
  )
  return (
    <div className={classes.scroller} tabIndex={0} role="group" aria-label="The two sessions">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Session</th>
            <th scope="col">Steps</th>
            <th scope="col">Took</th>
            {timeParts.map(({ name, mark }) => (
              <th key={name} scope="col">
                <span className={classes.key} style={{ background: mark }} /> {name}
              </th>
            ))}
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {([a, b] as const).map((side, i) => (
            <tr key={i}>
              <th scope="row">
                <div className={classes.session}>
                  <Letter side={i === 0 ? 'a' : 'b'} />
                  <span className={classes.name}>
                    <span>
                      <Anchor
                        component={Link}
                        href={`/sessions/${encodeURIComponent(side.session_id)}`}
                        inherit
                      >
                        {side.title === '' ? side.session_id : side.title}
                      </Anchor>{' '}
                      <StatusBadge status={side.status} />
                    </span>
                    <span className={classes.under}>
                      {side.title !== '' && <>{side.session_id} · </>}
                      <Time at={side.started} />
                    </span>
                    <TimeBar time={side.time} longest={longest} />
                  </span>
                </div>
              </th>
              <td>
                {count(side.steps)}
                {side.truncated && <span className={classes.under}> and more</span>}
              </td>
              <td>{duration(side.duration_ms)}</td>
              {timeParts.map(({ name, of }) => (
                <td key={name}>{took(of(side.time))}</td>
              ))}
              <td>{side.tokens === null ? '–' : count(side.tokens.total)}</td>
              <td>{side.cost === null ? '–' : money(side.cost)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">B less A</th>
            <td>{signed(b.steps - a.steps, count)}</td>
            <td>{signed(summary.duration_ms, duration)}</td>
            {timeParts.map(({ name, of }) => (
              <td key={name}>{signed(of(summary.time), duration)}</td>
            ))}
            <td>{signed(summary.tokens, count)}</td>
            <td>
              {summary.cost === null
                ? '–'
                : `${Number(summary.cost.amount) > 0 ? '+' : ''}${money(summary.cost)}`}
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

/** A difference with its sign. */
export function signed(value: number | null, write: (value: number) => string): string {
  if (value === null) return '–'
  if (value === 0) return '±0'
  return value > 0 ? `+${write(value)}` : `−${write(-value)}`
}
