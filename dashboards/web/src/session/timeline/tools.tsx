import { ActionIcon, Button, Text, Tooltip } from '@mantine/core'
import { IconZoomIn, IconZoomOut } from '@tabler/icons-react'
import { duration } from '../../format/duration'
import { counted } from '../../format/numbers'
import { usePlayer } from '../player/context'
import type { Range } from './rows'
import { isWhole, zoom } from './scale'
import classes from './waterfall.module.css'

/** What is shown of the timeline, and buttons to show more or less of it. */
export function Tools(props: {
  range: Range
  all: Range
  onShow: (range: Range) => void
  spans: number
  folded: boolean
  onUnfold: () => void
}) {
  const { range, all, onShow } = props
  const player = usePlayer()
  const whole = isWhole(range, all)
  // Around the player, as long as it is in sight.
  const middle = () => {
    const { offset } = player.state()
    return offset >= range.from && offset <= range.to ? offset : (range.from + range.to) / 2
  }
  return (
    <div className={classes.tools}>
      <Text size="xs" c="dimmed" className="figures" style={{ flex: 1 }} truncate>
        {counted(props.spans, 'span')} · {duration(range.to - range.from)}
        {!whole && ` of ${duration(all.to - all.from)}`}
      </Text>
      {props.folded && (
        <Button size="compact-xs" variant="subtle" color="gray" onClick={props.onUnfold}>
          Unfold all
        </Button>
      )}
      {!whole && (
        <Button size="compact-xs" variant="subtle" onClick={() => onShow(all)}>
          Show all
        </Button>
      )}
      <Tooltip label="Zoom out (ctrl and wheel)">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Zoom out"
          disabled={whole}
          onClick={() => onShow(zoom(range, all, 2, middle()))}
        >
          <IconZoomOut size={17} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Zoom in (ctrl and wheel, or drag over the axis)">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Zoom in"
          onClick={() => onShow(zoom(range, all, 0.5, middle()))}
        >
          <IconZoomIn size={17} />
        </ActionIcon>
      </Tooltip>
    </div>
  )
}
