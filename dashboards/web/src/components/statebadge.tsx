import { Badge } from '@mantine/core'

/** A state in a word: its colour, its name, and what it means where it is pointed at. */
export interface StateLook {
  color: 'teal' | 'gray' | 'red' | 'yellow'
  name: string
  why: string
}

/** Letters in Mantine's own yellow and green cannot be read on the light grounds of those. */
const letters: Partial<Record<StateLook['color'], string>> = {
  yellow: 'light-dark(#7a4a00, var(--mantine-color-yellow-3))',
  teal: 'light-dark(#06543d, var(--mantine-color-teal-2))',
}

export function StateBadge({ color, name, why }: StateLook) {
  const c = letters[color]
  return (
    <Badge
      color={color}
      variant="light"
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
