import { useCallback, useMemo } from 'react'
import { bytes } from '../format/numbers'
import type { Image } from './images'
import classes from './picture.module.css'

/** An image of more than this is not drawn, bytes. */
const most = 16 << 20

/** An image of a recording. The browser gets its bytes as a blob of its media type, which is one of `images.ts`. */
export function Picture({ image, label }: { image: Image; label: string }) {
  const size = Math.floor((image.data.length * 3) / 4)
  const blob = useMemo(() => (size > most ? null : blobOf(image)), [image, size])
  const draw = useCallback(
    (element: HTMLImageElement | null) => {
      if (element === null || blob === null) return undefined
      const url = URL.createObjectURL(blob)
      element.src = url
      return () => URL.revokeObjectURL(url)
    },
    [blob],
  )
  if (blob !== null) return <img ref={draw} className={classes.picture} alt={label} />
  return (
    <span className={classes.none}>
      {size > most ? `${label}: ${bytes(size)} are not drawn` : `${label}: it cannot be read`}
    </span>
  )
}

function blobOf({ media, data }: Image): Blob | null {
  try {
    const text = atob(data.replaceAll('-', '+').replaceAll('_', '/'))
    const all = new Uint8Array(text.length)
    for (let i = 0; i < text.length; i++) all[i] = text.charCodeAt(i)
    return new Blob([all], { type: media })
  } catch {
    return null // not base64 to its end
  }
}
