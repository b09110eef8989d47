import { bytes, counted } from '../format/numbers'
import type { Folded } from './fold'

/** How much a fold leaves out: "120 lines, 4.5 kB", "340 characters". */
export function restOf({ lines, units }: Pick<Folded, 'lines' | 'units'>): string {
  const size = units < 1000 ? '' : `, ${bytes(units)}`
  return lines > 2
    ? `${counted(lines, 'line')}${size}`
    : units < 1000
      ? counted(units, 'character')
      : bytes(units)
}
