import { memo } from 'react'
import { CodeBlock } from '../code/codeblock'
import { LongText } from '../longtext'
import { blocksOf, inlinesOf, type Block } from './blocks'
import classes from './prose.module.css'

/** A block of more than this is shown as it was written, UTF-16 units. */
const most = 20_000

/** Paragraphs, headings and code of a text that grows or is not to be read as Markdown: what costs little. */
export function Plain({ text }: { text: string }) {
  if (text.length > most) return <LongText text={text} label="Text" />
  return blocksOf(text).map((block, i) => (
    <Piece
      key={i}
      kind={block.kind}
      text={block.text}
      language={block.kind === 'code' ? block.language : ''}
    />
  ))
}

/** Drawn again only if its own text changed: of a growing text, the last. */
const Piece = memo(function Piece({
  kind,
  text,
  language,
}: {
  kind: Block['kind']
  text: string
  language: string
}) {
  if (kind === 'code') return <CodeBlock text={text} language={language} />
  return (
    <p className={kind === 'heading' ? classes.heading : classes.paragraph}>
      {inlinesOf(text).map((inline, i) => {
        if (inline.kind === 'code') return <code key={i}>{inline.text}</code>
        return inline.kind === 'strong' ? <strong key={i}>{inline.text}</strong> : inline.text
      })}
    </p>
  )
})
