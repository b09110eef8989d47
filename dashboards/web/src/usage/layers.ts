import { bucketColours, palette } from '../components/colours'
import type { Series } from '../reports/chart'
import { groupName } from '../reports/rows'
import { layersOf, stacked, type Layer } from '../reports/stack'
import { buckets } from './buckets'
import type { UsageRow } from './queries'

/** What is stacked: costs or tokens of groups, or tokens by bucket. */
export type Split = 'bucket' | 'group' | 'cost'

/** The tokens of each period, stacked by bucket or by group, or the costs of groups. */
export function usageSeries(
  rows: readonly UsageRow[],
  starts: readonly number[],
  split: Split,
  groupBy: readonly string[],
): Series[] {
  const layers: readonly Coloured[] =
    split === 'bucket' ? byBucket(rows, starts) : byGroup(rows, starts, groupBy, split)
  const tops = stacked(layers)
  // The highest is drawn first, so that each covers what is not its own.
  return layers
    .map(({ name, values, colour }, i): Series => ({
      name,
      colour: colour ?? palette[i % palette.length] ?? 'gray',
      drawn: tops[i] ?? [],
      value: values,
      kind: 'bars',
    }))
    .reverse()
}

/** A layer, with its colour where that is not by its place. */
type Coloured = Layer & { colour?: string }

function byBucket(rows: readonly UsageRow[], starts: readonly number[]): Coloured[] {
  const places = new Map(starts.map((at, i) => [at, i]))
  return buckets
    .map(({ bucket, name }) => {
      const values = starts.map(() => 0)
      for (const row of rows) {
        const place = row.period_start === null ? undefined : places.get(Date.parse(row.period_start))
        if (place !== undefined) values[place] = (values[place] ?? 0) + row.tokens[bucket]
      }
      return { name, values, colour: bucketColours[bucket] }
    })
    .filter(({ values }) => values.some((value) => value !== 0))
}

function byGroup(
  rows: readonly UsageRow[],
  starts: readonly number[],
  groupBy: readonly string[],
  split: 'group' | 'cost',
): Layer[] {
  return layersOf(
    rows
      .filter(({ cost }) => split !== 'cost' || cost !== null)
      .map((row) => ({
        at: Date.parse(row.period_start ?? ''),
        name: groupName(row, groupBy),
        value: split === 'cost' ? Number(row.cost?.amount ?? 0) : row.tokens.total,
      })),
    starts,
  )
}
