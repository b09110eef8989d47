/** Of a row, pixels. */
export const rowHeight = 26

/** Taller elements than this are cut off by one browser or another, pixels. */
const tallest = 15_000_000

/**
 * The positions of the rows of a list that may be taller than an element can be: then its scrollbar moves
 * over the rows faster than over pixels. All measures are pixels but `total`, the number of rows.
 */
export interface Sight {
  total: number
  /** Of what is seen at once. */
  view: number
  /** Of how far it is scrolled. */
  top: number
}

/** How tall the scrolled element is. */
export function heightOf(total: number): number {
  return Math.min(total * rowHeight, tallest)
}

/** How many pixels of rows one pixel of the scrollbar passes. */
function pace({ total, view }: Omit<Sight, 'top'>): number {
  const height = heightOf(total)
  return height <= view ? 1 : (total * rowHeight - view) / (height - view)
}

/** The rows in sight, the last not among them, and where the first is drawn. */
export function rowsInSight(sight: Sight): { first: number; end: number; at: number } {
  const top = Math.max(0, sight.top) * pace(sight)
  const first = Math.min(Math.floor(top / rowHeight), Math.max(0, sight.total - 1))
  const end = Math.min(sight.total, Math.ceil((top + sight.view) / rowHeight) + 1)
  return { first, end, at: sight.top - (top - first * rowHeight) }
}

/** How far to scroll so that a row is in sight: not at all if it is, else so that it is in the middle. */
export function topShowing(row: number, sight: Sight): number {
  const by = pace(sight)
  const top = sight.top * by
  const y = row * rowHeight
  if (y >= top + rowHeight && y + 2 * rowHeight <= top + sight.view) return sight.top
  const most = Math.max(0, sight.total * rowHeight - sight.view)
  return Math.min(Math.max(y - (sight.view - rowHeight) / 2, 0), most) / by
}
