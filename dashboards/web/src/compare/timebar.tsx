import { duration } from '../format/duration'
import classes from './timebar.module.css'
import type { StepTime } from './queries'

/** The parts of a step's time, in their order, with the colours that they have in a timeline. */
export const timeParts = [
  { name: 'Waiting', of: (time: StepTime) => time.waiting_ms, mark: 'var(--mark-waiting)' },
  {
    name: 'First token',
    of: (time: StepTime) => time.first_token_ms,
    mark: 'color-mix(in srgb, var(--mantine-color-body) 55%, var(--mark-model))',
  },
  { name: 'Generation', of: (time: StepTime) => time.generation_ms, mark: 'var(--mark-model)' },
  { name: 'Tools', of: (time: StepTime) => time.tool_ms, mark: 'var(--mark-tool)' },
]

/** Where time went, as long as its share of the longest. */
export function TimeBar({ time, longest }: { time: StepTime; longest: number }) {
  const parts = timeParts
    .map(({ name, of, mark }) => ({ name, mark, ms: of(time) ?? 0 }))
    .filter(({ ms }) => ms > 0)
  if (parts.length === 0 || longest <= 0) return null
  const label = parts.map(({ name, ms }) => `${name}: ${duration(ms)}`).join(', ')
  return (
    <span className={classes.bar} role="img" aria-label={label} title={label}>
      {parts.map(({ name, mark, ms }) => (
        <span key={name} style={{ width: `${(ms / longest) * 100}%`, background: mark }} />
      ))}
    </span>
  )
}
