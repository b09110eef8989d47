import { fold } from './fold'
import { restOf } from './rest'
import { useUnfolded } from './reveal'
import { Unfold } from './unfold'
import classes from './longtext.module.css'

const lines = 14
const units = 4000

/** Text as it was written, in a monospaced type; long text is folded. */
export function LongText({ text, label }: { text: string; label: string }) {
  const [open, toggle] = useUnfolded()
  const folded = fold(text, lines, units)
  return (
    <div>
      <pre className={classes.text} aria-label={label} tabIndex={0}>
        {open || folded === null ? text : folded.shown}
      </pre>
      {folded !== null && <Unfold open={open} rest={restOf(folded)} toggle={toggle} />}
    </div>
  )
}
