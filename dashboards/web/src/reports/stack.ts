/** One of the layers of a chart, with a value for each period. */
export interface Layer {
  name: string
  values: number[]
}

/** At most so many groups have a layer of their own. */
const most = 8

export interface Part {
  /** When its period starts, ms. */
  at: number
  name: string
  value: number
}

/** Layers for groups, the largest first; small groups are joined into one at the end. */
export function layersOf(parts: readonly Part[], starts: readonly number[]): Layer[] {
  const places = new Map(starts.map((at, i) => [at, i]))
  const sums = new Map<string, number>()
  for (const { name, value } of parts) sums.set(name, (sums.get(name) ?? 0) + value)
  const names = [...sums].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name)
  const own = names.length > most ? names.slice(0, most - 1) : names
  const layers = own.map((name) => ({ name, values: starts.map(() => 0) }))
  const rest = { name: `${names.length - own.length} others`, values: starts.map(() => 0) }
  const byName = new Map(layers.map((layer) => [layer.name, layer]))
  for (const { at, name, value } of parts) {
    const { values } = byName.get(name) ?? rest
    const place = places.get(at)
    if (place !== undefined) values[place] = (values[place] ?? 0) + value
  }
  return names.length > own.length ? [...layers, rest] : layers
}

/** For each layer the sums of it and of those before it: where its top is when they are stacked. */
export function stacked(layers: readonly Layer[]): number[][] {
  const tops: number[][] = []
  for (const { values } of layers) {
    const below = tops.at(-1)
    tops.push(values.map((value, i) => value + (below?.[i] ?? 0)))
  }
  return tops
}
