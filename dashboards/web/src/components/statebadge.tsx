import { Badge } from '@mantine/core'
import classes from './statebadge.module.css'

/** A state: its colour, its name, and its meaning in a tooltip. */
export interface StateLook {
  color: 'teal' | 'gray' | 'red' | 'yellow'
  name: string
  why: string
  /** How prominent it is: not at all, much, or as an unknown state; a little if it is left out. */
  weight?: 'none' | 'much' | 'unknown'
}

/** Letters in Mantine's own yellow and green cannot be read on the light grounds of those. */
const letters: Partial<Record<StateLook['color'], string>> = {
  yellow: 'var(--text-warn)',
  teal: 'var(--text-ok)',
}

/** The grounds on which a prominent state has its name. */
const strong: Record<StateLook['color'], string> = {
  teal: 'teal.9',
  gray: 'gray.9',
  red: 'red.9',
  yellow: 'yellow.5',
}

export function StateBadge({ color, name, why, weight }: StateLook) {
  const c = weight === 'much' ? undefined : letters[color]
  return (
    <Badge
      className={classes.badge ?? ''}
      data-weight={weight}
      leftSection={weight === 'none' ? <span className={classes.dot} /> : undefined}
      color={weight === 'much' ? strong[color] : color}
      variant={weight === 'much' ? 'filled' : 'light'}
      size="sm"
      radius="sm"
      tt="none"
      title={why}
      style={{ flex: 'none' }}
      {...(c !== undefined && { c })}
    >
      {name}
    </Badge>
  )
}
