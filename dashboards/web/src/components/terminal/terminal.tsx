import { type CSSProperties, memo, useMemo } from 'react'
import { fold } from '../fold'
import { restOf } from '../rest'
import { useUnfolded } from '../reveal'
import { LeftOut, Unfold } from '../unfold'
import { type Colour, type Run, runsOf } from './ansi'
import classes from './terminal.module.css'

const lines = 16
const units = 6000
/** The most of an output that is shown at once, UTF-16 units. */
const most = 400_000

/** Output of a terminal in its colours; long output is folded. `open` shows all of it. */
export function Terminal({ text, label, open = false }: { text: string; label: string; open?: boolean }) {
  const [all, toggle] = useUnfolded()
  const folded = fold(text, lines, units)
  const shown = all || open || folded === null ? text.slice(0, most) : folded.shown
  return (
    <div className={classes.terminal}>
      <pre className={classes.text} aria-label={label} tabIndex={0} role="group">
        <Output text={shown} />
      </pre>
      {folded !== null && (
        <Unfold open={all} rest={restOf(folded)} toggle={toggle} className={classes.more} />
      )}
      {shown.length < text.length && all && <LeftOut />}
    </div>
  )
}

const Output = memo(function Output({ text }: { text: string }) {
  const runs = useMemo(() => runsOf(text), [text])
  return runs.map((run, i) =>
    Object.keys(run).length === 1 ? (
      run.text
    ) : (
      <span key={i} style={styleOf(run)}>
        {run.text}
      </span>
    ),
  )
})

/** Sixteen colours that can be read on the dark ground, in the order of SGR. */
const palette = [
  ...['#9aa4b0', '#ff8a8a', '#7ee2a8', '#f2cf66', '#8fb8ff', '#e3a3ff', '#6fdcea', '#e6e9ee'],
  ...['#b3bcc7', '#ffa8a8', '#a3f0c2', '#ffe28a', '#b3d0ff', '#efc4ff', '#9cecf5', '#ffffff'],
]

function styleOf(run: Run): CSSProperties {
  const { bold, dim, italic, underline, strike, inverse } = run
  const [colour, ground] = inverse === true ? [run.ground ?? -1, run.colour ?? 7] : [run.colour, run.ground]
  const decoration = [underline === true && 'underline', strike === true && 'line-through'].filter(Boolean)
  return {
    // On a ground of its own a text is black or white, whichever can be read.
    ...(ground !== undefined
      ? { background: css(ground), color: isLight(rgb(ground)) ? '#000' : '#fff' }
      : colour !== undefined && { color: readable(colour) }),
    ...(bold === true && { fontWeight: 700 }),
    ...(dim === true && ground === undefined && { color: '#aab3be' }),
    ...(italic === true && { fontStyle: 'italic' }),
    ...(decoration.length > 0 && { textDecoration: decoration.join(' ') }),
  }
}

function rgb(colour: Colour): readonly [number, number, number] {
  if (typeof colour !== 'number') return colour
  const hex = Number.parseInt((palette[colour] ?? '#16191e').slice(1), 16)
  return [hex >> 16, (hex >> 8) & 255, hex & 255]
}

function css(colour: Colour): string {
  return `rgb(${rgb(colour).join(' ')})`
}

/** A colour, lighter where it would be too dark on the ground. */
function readable(colour: Colour): string {
  let [r, g, b] = rgb(colour)
  for (let i = 0; i < 8 && luma([r, g, b]) < 140; i++)
    [r, g, b] = [r + (255 - r) * 0.25, g + (255 - g) * 0.25, b + (255 - b) * 0.25]
  return `rgb(${[r, g, b].map(Math.round).join(' ')})`
}

function luma([r, g, b]: readonly [number, number, number]): number {
  return 0.299 * r + 0.587 * g + 0.114 * b
}

function isLight(colour: readonly [number, number, number]): boolean {
  return luma(colour) > 140
}
