/** A line between two nodes, by their ids. */
export interface Line {
  from: string
  to: string
}

/** Where a node is drawn: in which column, and which of it. */
export interface Place {
  column: number
  row: number
}

export interface Layout {
  places: ReadonlyMap<string, Place>
  columns: number
  rows: number
}

/**
 * Places nodes in columns, each after all that a line leads from to it. In a column a node stands where those before
 * it stand, on the mean; else they keep their order. A circle of lines is entered at its first node.
 */
export function layered(ids: readonly string[], lines: readonly Line[]): Layout {
  const after = neighbours(ids, lines, 'from', 'to')
  const column = columnsOf(ids, lines, after)
  const before = neighbours(ids, lines, 'to', 'from')
  const columns: string[][] = []
  for (const id of ids) (columns[column.get(id) ?? 0] ??= []).push(id)
  const places = new Map<string, Place>()
  columns.forEach((members, i) => {
    const wish = new Map(members.map((id) => [id, meanRow(before.get(id) ?? [], places)]))
    members
      .sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0))
      .forEach((id, row) => places.set(id, { column: i, row }))
  })
  return {
    places,
    columns: columns.length,
    rows: columns.reduce((most, { length }) => Math.max(most, length), 0),
  }
}

type Neighbours = ReadonlyMap<string, readonly string[]>

function neighbours(
  ids: readonly string[],
  lines: readonly Line[],
  at: keyof Line,
  other: keyof Line,
): Neighbours {
  const found = new Map<string, string[]>(ids.map((id) => [id, []]))
  for (const line of lines) if (found.has(line[other])) found.get(line[at])?.push(line[other])
  return found
}

/** The column of each node: one more than the highest of those before it. */
function columnsOf(ids: readonly string[], lines: readonly Line[], after: Neighbours): Map<string, number> {
  const waits = new Map<string, number>(ids.map((id) => [id, 0]))
  for (const { from, to } of lines)
    if (after.has(from) && waits.has(to)) waits.set(to, (waits.get(to) ?? 0) + 1)
  const column = new Map<string, number>()
  const done = new Set<string>()
  const ready = ids.filter((id) => waits.get(id) === 0)
  let next = 0
  const place = (id: string) => {
    done.add(id)
    if (!column.has(id)) column.set(id, 0)
    for (const to of after.get(id) ?? []) {
      if (done.has(to)) continue
      column.set(to, Math.max(column.get(to) ?? 0, (column.get(id) ?? 0) + 1))
      const left = (waits.get(to) ?? 0) - 1
      waits.set(to, left)
      if (left === 0) ready.push(to)
    }
  }
  for (const id of ids) {
    while (next < ready.length) {
      const first = ready[next++]
      if (first !== undefined && !done.has(first)) place(first)
    }
    // What is left waits for itself.
    if (!done.has(id)) place(id)
  }
  while (next < ready.length) {
    const rest = ready[next++]
    if (rest !== undefined && !done.has(rest)) place(rest)
  }
  return column
}

/** The mean of the rows of nodes that have their places; of none, 0. */
function meanRow(ids: readonly string[], places: ReadonlyMap<string, Place>): number {
  let sum = 0
  let known = 0
  for (const id of ids) {
    const place = places.get(id)
    if (place === undefined) continue
    sum += place.row
    known++
  }
  return known === 0 ? 0 : sum / known
}
