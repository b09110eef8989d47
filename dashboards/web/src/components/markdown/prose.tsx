import { memo, Suspense, useMemo } from 'react'
import { bytes } from '../../format/numbers'
import { lazyPart } from '../part'
import { useUnfolded } from '../reveal'
import { Unfold } from '../unfold'
import './markdown.module.css'
import { definitionsOf, inFence, isTame, piecesOf } from './pieces'
import { Plain } from './plain'
import classes from './prose.module.css'

const Markdown = lazyPart(() => import('./markdown'))

/** How much of a text is shown before one asks for the rest, UTF-16 units. */
const shownFirst = 16_000
/** Of the piece that is being written, so much is read as Markdown once for each of its lines, units. */
const growingMost = 6_000

/**
 * Text as a model writes it, in Markdown. While it grows, finished pieces are rendered once and the line that is being
 * written is plain; a caret stands at its end. `open` shows all of a long text. With `breaks` each line of a paragraph
 * is a line, as its writer broke it.
 */
export function Prose({ text, growing = false, open = false, breaks = false }: ProseProps) {
  const [all, toggle] = useUnfolded()
  const pieces = useMemo(() => piecesOf(text), [text])
  const definitions = useMemo(() => (growing ? '' : definitionsOf(text)), [growing, text])
  const first = fittingIn(pieces, shownFirst)
  const count = growing || all || open ? pieces.length : first
  const rest = pieces.slice(count).reduce((sum, piece) => sum + piece.length, 0)
  return (
    <>
      <div className={classes.prose} data-growing={growing} data-breaks={breaks || undefined}>
        {pieces.slice(0, count).map((piece, i) => {
          if (!growing || i < count - 1) return <Piece key={i} text={piece} definitions={definitions} />
          const cut = growingCut(piece)
          return [
            cut > 0 && <Piece key={i} text={piece.slice(0, cut)} definitions="" />,
            <Plain key="growing" text={piece.slice(cut)} />,
          ]
        })}
      </div>
      {first < pieces.length && !open && !growing && (
        <Unfold open={all} rest={bytes(rest)} toggle={toggle} className={classes.more} />
      )}
    </>
  )
}

interface ProseProps {
  text: string
  growing?: boolean
  open?: boolean
  breaks?: boolean
}

/** How many pieces from the first on fit into a length; at least one. */
function fittingIn(pieces: readonly string[], length: number): number {
  let sum = 0
  const index = pieces.findIndex((piece) => (sum += piece.length) > length)
  return index < 0 ? pieces.length : Math.max(index, 1)
}

/** Up to where a growing piece is read as Markdown: its finished lines, unless they are code or many. */
function growingCut(piece: string): number {
  const cut = piece.lastIndexOf('\n') + 1
  return cut > growingMost || inFence(piece.slice(0, cut)) || piece.slice(0, cut).trim() === '' ? 0 : cut
}

/** Rendered again only if its own text changed. */
const Piece = memo(function Piece({ text, definitions }: { text: string; definitions: string }) {
  if (!isTame(text)) return <Plain text={text} />
  return (
    <Suspense fallback={<Plain text={text} />}>
      <Markdown text={text} definitions={definitions} />
    </Suspense>
  )
})
