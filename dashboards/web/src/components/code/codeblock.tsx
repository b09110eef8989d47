import { Suspense } from 'react'
import { Copy } from '../copy'
import { fold } from '../fold'
import { lazyPart } from '../part'
import { restOf } from '../rest'
import { useUnfolded } from '../reveal'
import { Unfold } from '../unfold'
import classes from './codeblock.module.css'
import './highlighted.css'
import { highlightMost } from './languages'

const Highlighted = lazyPart(() => import('./highlighted'))

/** Of how many lines code is shown before one asks for the rest. */
const lines = 40
const units = 8000

/** A piece of code, coloured by its language, with a button that copies it; long code is folded. */
export function CodeBlock({ text, language }: { text: string; language: string }) {
  const [open, toggle] = useUnfolded()
  const folded = fold(text, lines, units)
  return (
    <div className={classes.block}>
      <div className={classes.head}>
        <span className={classes.language}>{language}</span>
        <Copy text={text} what="Copy the code" />
      </div>
      <pre
        className={classes.code}
        aria-label={language === '' ? 'Code' : `Code, ${language}`}
        tabIndex={0}
        role="group"
      >
        <code>
          <Coloured text={open || folded === null ? text : folded.shown} language={language} />
        </code>
      </pre>
      {folded !== null && (
        <Unfold open={open} rest={restOf(folded)} toggle={toggle} className={classes.more} />
      )}
    </div>
  )
}

/** Code in the colours of its language, if that is known and the code is not too long. */
export function Coloured({ text, language }: { text: string; language: string }) {
  if (language === '' || text.length > highlightMost) return text
  return (
    <Suspense fallback={text}>
      <Highlighted text={text} language={language} />
    </Suspense>
  )
}
