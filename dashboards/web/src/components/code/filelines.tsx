import { fold } from '../fold'
import { restOf } from '../rest'
import { useUnfolded } from '../reveal'
import { LeftOut, Unfold } from '../unfold'
import { Coloured } from './codeblock'
import classes from './filelines.module.css'
import { languageOf } from './languages'

const lines = 20
const units = 6000
const most = 400_000

/** A file, or a part of it from line `first` on, with the numbers of its lines; a long one is folded. */
export function FileLines({ text, path, first, label }: FileLinesProps) {
  const [open, toggle] = useUnfolded()
  const folded = fold(text, lines, units)
  const shown = open || folded === null ? text.slice(0, most) : folded.shown
  const count = shown.split('\n').length
  return (
    <div className={classes.file}>
      <div className={classes.scroller} tabIndex={0} role="group" aria-label={label}>
        <pre className={classes.numbers} aria-hidden>
          {Array.from({ length: count }, (_, i) => first + i).join('\n')}
        </pre>
        <pre className={classes.text}>
          <code>
            <Coloured text={shown} language={languageOf(path)} />
          </code>
        </pre>
      </div>
      {folded !== null && (
        <Unfold open={open} rest={restOf(folded)} toggle={toggle} className={classes.more} />
      )}
      {open && text.length > most && <LeftOut />}
    </div>
  )
}

interface FileLinesProps {
  text: string
  path: string
  first: number
  label: string
}
