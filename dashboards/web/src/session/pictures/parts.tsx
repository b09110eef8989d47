import { type Image, imageOfPart } from '../../components/images'
import { JsonTree } from '../../components/json/tree'
import { LongText } from '../../components/longtext'
import { Picture } from '../../components/picture'
import classes from './pictures.module.css'

type Part = { text: string } | { image: Image } | { value: unknown }

/** The elements of a content with an image among them; null for any other value. */
export function partsOf(value: unknown): Part[] | null {
  if (!Array.isArray(value) || value.length > 200) return null
  const parts = value.map(partOf)
  return parts.some((part) => 'image' in part) ? parts : null
}

function partOf(value: unknown): Part {
  const image = imageOfPart(value)
  if (image !== null) return { image }
  const text = typeof value === 'object' && value !== null && 'text' in value ? value.text : undefined
  return typeof text === 'string' ? { text } : { value }
}

/** A content of texts and images, as people read it. */
export function Parts({ parts, label }: { parts: readonly Part[]; label: string }) {
  return (
    <div className={classes.parts}>
      {parts.map((part, i) => {
        if ('image' in part) return <Picture key={i} image={part.image} label={`${label}, an image`} />
        return 'text' in part ? (
          <LongText key={i} text={part.text} label={label} />
        ) : (
          <JsonTree key={i} value={part.value} label={label} />
        )
      })}
    </div>
  )
}
