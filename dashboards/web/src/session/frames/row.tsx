import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react'
import { memo } from 'react'
import { clock } from '../../format/duration'
import { bytes, count } from '../../format/numbers'
import type { FrameLine } from './queries'
import classes from './row.module.css'

interface Props {
  id: string
  /** Counted from 1. */
  number: number
  line: FrameLine | undefined
  isNow: boolean
  isAfter: boolean
  isChosen: boolean
  onChoose: (number: number) => void
}

/** One frame in a line; its room is there before the frame is. */
export const FrameRow = memo(function FrameRow(props: Props) {
  const { id, number, line, isNow, isAfter, isChosen, onChoose } = props
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={number}
      aria-selected={isChosen}
      {...(isNow && { 'aria-current': 'time' as const })}
      className={classes.row}
      data-after={isAfter}
      onClick={() => onChoose(number)}
    >
      <span role="gridcell" className={classes.number}>
        {count(number)}
      </span>
      {line === undefined ? (
        <span role="gridcell" className={classes.head}>
          …
        </span>
      ) : (
        <>
          <span role="gridcell" className={classes.time}>
            {clock(line.offset_ms)}
          </span>
          <span role="gridcell" className={classes.way}>
            {line.direction === 'send' ? (
              <IconArrowRight size={13} role="img" aria-label="Sent" data-sent />
            ) : (
              <IconArrowLeft size={13} role="img" aria-label="Received" />
            )}
          </span>
          <span role="gridcell" className={classes.type} data-flagged={line.flags.some(isOdd)}>
            {line.type === '' ? '–' : line.type}
          </span>
          <span role="gridcell" className={classes.node}>
            {line.node === '' ? line.agent : line.node}
          </span>
          <span role="gridcell" className={classes.size}>
            {bytes(line.size)}
          </span>
          <span role="gridcell" className={classes.head}>
            {line.head}
          </span>
        </>
      )}
    </div>
  )
})

/** Most frames of a fast stream are joined, and notes are as they should be. */
function isOdd(flag: FrameLine['flags'][number]): boolean {
  return flag !== 'joined' && flag !== 'note' && flag !== 'binary'
}
