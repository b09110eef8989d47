import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Schemas } from '../../api/client'
import { Picture } from '../../components/picture'
import { counted } from '../../format/numbers'
import { useSessionId } from '../context'
import { imagesOf } from './lists'
import classes from './pictures.module.css'
import { imagesQuery } from './queries'

type Message = Schemas['Message']

/** The kinds of parts by which the dialects name an image. */
const kinds = /image|inline_?data|media|blob|file/i

/** How many images a message has besides its text, which are in its frame. */
export function imageCount({ attributes }: Pick<Message, 'attributes'>): number {
  const parts: unknown = attributes?.['parts']
  return Array.isArray(parts)
    ? parts.filter((kind) => typeof kind === 'string' && kinds.test(kind)).length
    : 0
}

/** The images of a message, read from its frame. `call` is the call that it answers, as frames name it. */
export function Pictures({ message, call = '' }: { message: Message; call?: string }) {
  const n = imageCount(message)
  if (n === 0) return null
  return <FromFrame message={message} call={call} n={n} />
}

function FromFrame({ message, call, n }: { message: Message; call: string; n: number }) {
  const { data, isPending } = useQuery(imagesQuery(useSessionId(), message.position))
  const images = useMemo(() => imagesOf(data ?? [], { text: message.text, call }), [data, message.text, call])
  if (images.length === 0)
    return (
      <p className={classes.none}>
        {isPending ? `Loading ${counted(n, 'image')} …` : `${counted(n, 'attachment')} in the frame`}
      </p>
    )
  return (
    <div className={classes.pictures}>
      {images.map((image, i) => (
        <Picture key={i} image={image} label={images.length === 1 ? 'An image' : `Image ${i + 1}`} />
      ))}
    </div>
  )
}
