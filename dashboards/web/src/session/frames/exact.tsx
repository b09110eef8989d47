import { UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { bytes } from '../../format/numbers'
import { hexLines, withSigns } from './bytes'
import classes from './detail.module.css'

/** Of how many bytes a view begins, and how many it adds at a time. */
const step = 16 << 10

/** The recorded bytes as text, with signs for what cannot be seen. */
export function Exact({ raw }: { raw: Uint8Array }) {
  const [most, setMost] = useState(step)
  // A character of which only a part is shown is left out, and is no wrong byte.
  const stream = raw.length > most
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw.subarray(0, most), { stream })
  return (
    <>
      <pre className={classes.bytes} tabIndex={0} aria-label="The recorded bytes as text">
        {withSigns(text).map(({ text, sign }, i) => (sign ? <i key={i}>{text}</i> : text))}
      </pre>
      <More raw={raw} most={most} onMore={() => setMost(most * 4)} />
    </>
  )
}

/** The recorded bytes as numbers. */
export function Hex({ raw }: { raw: Uint8Array }) {
  const [most, setMost] = useState(step / 4)
  return (
    <>
      <pre
        className={classes.bytes}
        data-hex
        tabIndex={0}
        aria-label="The recorded bytes as hexadecimal numbers"
      >
        {hexLines(raw, most).map(({ offset, hex, text }) => (
          <span key={offset}>
            <i>{offset}</i>
            {`  ${hex.padEnd(47)}  ${text}\n`}
          </span>
        ))}
      </pre>
      <More raw={raw} most={most} onMore={() => setMost(most * 4)} />
    </>
  )
}

function More({ raw, most, onMore }: { raw: Uint8Array; most: number; onMore: () => void }) {
  if (raw.length <= most) return null
  return (
    <UnstyledButton className={classes.more} onClick={onMore}>
      Show more ({bytes(raw.length - most)} left)
    </UnstyledButton>
  )
}
