import type { Schemas } from '../../api/client'
import { silences, type Silence } from '../player/density'
import { endOf, withDescendants } from './span'

type Span = Schemas['Span']

/** A silence on the axis: how long it lasted, and the little room that it takes. Both in ms of their axes. */
export interface Fold extends Silence {
  /** Where it is drawn, ms of the drawn axis. */
  at: number
  width: number
}

/** An axis of time on which silences take little room. What is drawn is measured in ms, too. */
export interface Warp {
  folds: readonly Fold[]
  /** Where a moment is drawn. */
  draw: (ms: number) => number
  /** The moment that is drawn somewhere. */
  moment: (drawn: number) => number
}

/** An axis on which nothing is folded. */
export const straight: Warp = { folds: [], draw: (ms) => ms, moment: (drawn) => drawn }

/** The least silence that is folded: of a session's length, and in ms. */
const leastShare = 0.05
const least = 2000
/** How much room a fold takes, of all that is not folded. */
const room = 0.03

/** The times in which no frame arrived and neither a model nor a tool was called, long enough to be folded. */
export function silencesOf(density: Schemas['Density'], spans: readonly Span[], length: number): Silence[] {
  const limit = Math.max(least, length * leastShare)
  const busy: Silence[] = []
  for (const span of withDescendants(spans))
    if (span.kind === 'llm' || span.kind === 'tool')
      busy.push({ from: span.start_ms, to: endOf(span) ?? Infinity })
  busy.sort((a, b) => a.from - b.from)
  return silences(density, limit).flatMap((silence) => without(silence, busy, limit))
}

/** What of a silence is left without what is busy, in pieces that are long enough. */
function without({ from, to }: Silence, busy: readonly Silence[], limit: number): Silence[] {
  const left: Silence[] = []
  let at = from
  for (const one of busy) {
    if (one.to <= at) continue
    if (one.from >= to) break
    if (one.from - at > limit) left.push({ from: at, to: one.from })
    at = Math.max(at, one.to)
  }
  if (to - at > limit) left.push({ from: at, to })
  return left
}

/** The axis from `from` to `to` on which silences, in their order, are folded. */
export function warpOf(silent: readonly Silence[], from: number, to: number): Warp {
  const inside = silent.filter((silence) => silence.from >= from && silence.to <= to)
  const kept = inside.reduce((sum, silence) => sum - (silence.to - silence.from), to - from)
  if (inside.length === 0 || kept <= 0) return straight
  const folds: Fold[] = []
  let cut = 0
  for (const silence of inside) {
    const length = silence.to - silence.from
    const width = Math.min(kept * room, length)
    folds.push({ ...silence, at: silence.from - cut, width })
    cut += length - width
  }
  return {
    folds,
    draw: (ms) => {
      const fold = folds.findLast((one) => one.from <= ms)
      if (fold === undefined) return ms
      const length = fold.to - fold.from
      if (ms >= fold.to) return fold.at + fold.width + (ms - fold.to)
      return fold.at + ((ms - fold.from) / length) * fold.width
    },
    moment: (drawn) => {
      const fold = folds.findLast((one) => one.at <= drawn)
      if (fold === undefined) return drawn
      if (drawn >= fold.at + fold.width) return fold.to + (drawn - fold.at - fold.width)
      return fold.from + ((drawn - fold.at) / fold.width) * (fold.to - fold.from)
    },
  }
}
