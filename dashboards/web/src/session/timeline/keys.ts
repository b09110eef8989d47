import type { KeyboardEvent } from 'react'
import type { Row } from './rows'

/** What the keys of the waterfall act on. `at` is the selected line, -1 for none. */
interface Actions {
  rows: readonly Row[]
  at: number
  folded: ReadonlySet<string>
  /** Selects a line, or the nearest there is. */
  choose: (index: number) => void
  fold: (span: Row['span'], closed: boolean) => void
  seek: (ms: number) => void
  close: () => void
  zoom: (factor: number) => void
  /** Goes on by a share of what is shown. */
  pan: (share: number) => void
  showAll: () => void
}

/** Handles the keys of a tree of lines. Outside of it the player uses the same keys. */
export function keysOf(actions: Actions): (event: KeyboardEvent) => void {
  const { rows, at, folded, choose, fold } = actions
  const row = rows[at]
  const handled: Record<string, () => void> = {
    ArrowDown: () => choose(at + 1),
    ArrowUp: () => choose(at < 0 ? 0 : at - 1),
    Home: () => choose(0),
    End: () => choose(rows.length - 1),
    PageDown: () => choose(at + 10),
    PageUp: () => choose(at - 10),
    ArrowRight: () => {
      if (row && folded.has(row.span.id)) fold(row.span, false)
      else if (row && row.span.children.length > 0) choose(at + 1)
    },
    ArrowLeft: () => {
      if (row && row.span.children.length > 0 && !folded.has(row.span.id)) fold(row.span, true)
      else if (row) choose(rows.findIndex(({ span }) => span.id === row.span.parent))
    },
    Enter: () => row && actions.seek(row.span.start_ms),
    Escape: () => actions.close(),
    '+': () => actions.zoom(0.5),
    '-': () => actions.zoom(2),
    a: () => actions.showAll(),
    'Shift ArrowLeft': () => actions.pan(-0.25),
    'Shift ArrowRight': () => actions.pan(0.25),
  }
  return (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const arrow = event.shiftKey && event.key.startsWith('Arrow')
    const act = handled[arrow ? `Shift ${event.key}` : event.key]
    if (act === undefined) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
}
