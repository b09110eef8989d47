import { useState } from 'react'
import { counted } from '../../format/numbers'
import { MomentLink } from '../moment'
import { type Change, changePath, mostChanges } from './diff'
import type { Snapshot } from './snapshots'
import classes from './state.module.css'

/** How many changes of one state are shown before one asks for the rest, and how many states at once. */
const few = 6
const page = 100

/** What each state changed, in order of time; those after the player's moment are dimmed. */
export function Changes(props: { snapshots: readonly Snapshot[]; now: number; started: string }) {
  const { snapshots, now, started } = props
  const [shown, setShown] = useState(page)
  return (
    <ol className={classes.changes} aria-label="What changed when" tabIndex={0}>
      {snapshots.slice(0, shown).map((snapshot, i) => (
        <li
          key={`${snapshot.position} ${snapshot.series}`}
          className={classes.snapshot}
          data-after={i > now}
          aria-current={i === now ? 'time' : undefined}
        >
          <div className={classes.line}>
            <MomentLink ms={snapshot.at} started={started} />
            <span className={classes.series}>{snapshot.series}</span>
            <span className={classes.count}>
              {snapshot.changes === null ? 'first' : counted(snapshot.changes.length, 'change')}
              {snapshot.changes?.length === mostChanges && ' or more'}
            </span>
          </div>
          {snapshot.changes !== null && <Lines changes={snapshot.changes} />}
        </li>
      ))}
      {shown < snapshots.length && (
        <li>
          <button className={classes.more} onClick={() => setShown(shown + page)}>
            {counted(snapshots.length - shown, 'more state')}
          </button>
        </li>
      )}
    </ol>
  )
}

const signs = { added: '+', removed: '−', changed: '~' }
const words = { added: 'Added', removed: 'Removed', changed: 'Changed' }

function Lines({ changes }: { changes: readonly Change[] }) {
  const [all, setAll] = useState(false)
  const rest = changes.length - few
  return (
    <ul className={classes.lines}>
      {(all ? changes : changes.slice(0, few)).map((change) => (
        <li key={changePath(change)} data-kind={change.kind}>
          <span className={classes.sign} role="img" aria-label={words[change.kind]}>
            {signs[change.kind]}
          </span>
          <code className={classes.path}>{changePath(change)}</code>
          <span className={classes.values}>
            {change.kind !== 'added' && <del>{brief(change.before)}</del>}
            {change.kind === 'changed' && ' → '}
            {change.kind !== 'removed' && <ins>{brief(change.after)}</ins>}
          </span>
        </li>
      ))}
      {rest > 0 && (
        <li>
          <button className={classes.more} aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : counted(rest, 'more change')}
          </button>
        </li>
      )}
    </ul>
  )
}

/** The beginning of a value, on one line. */
function brief(value: unknown): string {
  let text: string
  try {
    text = JSON.stringify(value)
  } catch {
    return '…' // nested too deeply to be written
  }
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}
