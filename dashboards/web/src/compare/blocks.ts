import type { ComparedStep } from './queries'

/** A row by itself, or a run of rows that are the same and folded. */
export type Block = { row: ComparedStep } | { same: ComparedStep[] }

/** How many equal rows stay visible before and after what differs. */
const context = 1
/** Fewer equal rows than this are not worth a fold. */
const least = 3

/** The rows with runs of equal ones folded, but for some context. Unfolded runs are given by their first row. */
export function blocksOf(rows: readonly ComparedStep[], unfolded: ReadonlySet<number>): Block[] {
  const blocks: Block[] = []
  for (let i = 0; i < rows.length;) {
    let end = i
    while (end < rows.length && rows[end]?.class === 'matched') end++
    const from = i === 0 ? 0 : i + context
    const to = end === rows.length ? end : Math.max(end - context, from)
    const same = rows.slice(from, to)
    const folds = same.length >= least && !unfolded.has(same[0]?.index ?? -1)
    if (folds) {
      for (const row of rows.slice(i, from)) blocks.push({ row })
      blocks.push({ same })
      for (const row of rows.slice(to, end)) blocks.push({ row })
    } else for (const row of rows.slice(i, end)) blocks.push({ row })
    const differing = rows[end]
    if (differing !== undefined) blocks.push({ row: differing })
    i = end + 1
  }
  return blocks
}

/** The next row that differs after a row, or before it; undefined if there is none. */
export function nextDifference(
  rows: readonly ComparedStep[],
  after: number | null,
  back: boolean,
): ComparedStep | undefined {
  const differs = (row: ComparedStep) => row.class !== 'matched'
  if (back) return rows.findLast((row) => differs(row) && row.index < (after ?? rows.length))
  return rows.find((row) => differs(row) && row.index > (after ?? -1))
}
