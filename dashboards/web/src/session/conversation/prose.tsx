import { memo } from 'react'
import { blocksOf, inlinesOf, type Block } from './blocks'
import classes from './prose.module.css'

/** Text as a model writes it: paragraphs, headings and code. While it grows a caret stands at its end. */
export function Prose({ text, growing }: { text: string; growing: boolean }) {
  return (
    <div className={classes.prose} data-growing={growing}>
      {blocksOf(text).map((block, i) => (
        <Piece key={i} kind={block.kind} text={block.text} language={languageOf(block)} />
      ))}
    </div>
  )
}

function languageOf(block: Block): string {
  return block.kind === 'code' ? block.language : ''
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
  if (kind === 'code')
    return (
      <pre className={classes.code} aria-label={language === '' ? 'Code' : `Code, ${language}`} tabIndex={0}>
        {language !== '' && <span className={classes.language}>{language}</span>}
        <code>{text}</code>
      </pre>
    )
  return (
    <p className={kind === 'heading' ? classes.heading : classes.paragraph}>
      {inlinesOf(text).map((inline, i) => {
        if (inline.kind === 'code') return <code key={i}>{inline.text}</code>
        return inline.kind === 'strong' ? <strong key={i}>{inline.text}</strong> : inline.text
      })}
    </p>
  )
})
