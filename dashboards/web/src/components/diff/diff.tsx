import { useMemo } from 'react'
import { counted } from '../../format/numbers'
import { useUnfolded } from '../reveal'
import { LeftOut, Unfold } from '../unfold'
import classes from './diff.module.css'
import { linesOf, patchLines, type DiffLine } from './lines'

/** How many lines are shown before one asks for the rest, and at most then. */
const first = 60
const most = 3000
/** How much of a line is shown, UTF-16 units. */
const mostUnits = 2000

/** What an edit changes in a text. */
export default function EditDiff({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => linesOf(before, after), [before, after])
  return <Lines lines={lines} label="Changes" />
}

/** A patch, its added and removed lines in their colours. */
export function PatchDiff({ text }: { text: string }) {
  const lines = useMemo(() => patchLines(text), [text])
  return <Lines lines={lines} label="Patch" />
}

const signs = { same: ' ', added: '+', removed: '−', head: '' }

function Lines({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  const [open, toggle] = useUnfolded()
  const shown = lines.slice(0, open ? most : first)
  const rest = lines.length - shown.length
  return (
    <div className={classes.diff}>
      <div className={classes.scroller} tabIndex={0} role="group" aria-label={label}>
        <div className={classes.lines}>
          {shown.map(({ kind, text, before, after }, i) => (
            <div key={i} className={classes.line} data-kind={kind}>
              <span className={classes.number}>{before}</span>
              <span className={classes.number}>{after}</span>
              <span className={classes.sign}>{signs[kind]}</span>
              <code className={classes.text}>{text.slice(0, mostUnits)}</code>
            </div>
          ))}
        </div>
      </div>
      {(rest > 0 || open) && lines.length > first && (
        <Unfold open={open} rest={counted(rest, 'line')} toggle={toggle} className={classes.more} />
      )}
      {((open && rest > 0) || shown.some(({ text }) => text.length > mostUnits)) && <LeftOut />}
    </div>
  )
}
