import classes from './foldbands.module.css'
import type { Range } from './rows'
import type { Fold } from './warp'

/** Bands over all rows where a silence is drawn short. */
export function FoldBands({ range, folds }: { range: Range; folds: readonly Fold[] }) {
  const length = range.to - range.from
  return folds.map(({ at, width }) => (
    <div
      key={at}
      className={classes.band}
      data-testid="silence"
      style={{ left: `${((at - range.from) / length) * 100}%`, width: `${(width / length) * 100}%` }}
    />
  ))
}
