import { ActionIcon, Button, Text, Tooltip } from '@mantine/core'
import { IconZoomIn, IconZoomOut } from '@tabler/icons-react'
import { duration } from '../../format/duration'
import { counted } from '../../format/numbers'
import { usePlayer } from '../player/context'
import type { Range } from './rows'
import type { View } from './sight'
import type { Warp } from './warp'
import { isWhole, zoom } from './scale'
import classes from './waterfall.module.css'

/** What is shown of the timeline, and buttons to show more or less of it. */
export function Tools(props: {
  range: Range
  all: Range
  warp: Warp
  onShow: (range: Range) => void
  view: View
  onView: (view: View) => void
  /** The rows in sight show the whole run. */
  fits: boolean
  /** How many silences there are to be folded, and whether they are. */
  silent: number
  foldsSilence: boolean
  onFoldSilence: (folds: boolean) => void
  spans: number
  folded: boolean
  onUnfold: () => void
}) {
  const { range, all, warp, onShow } = props
  const player = usePlayer()
  const whole = isWhole(range, all)
  // Around the player, as long as it is in sight.
  const middle = () => {
    const drawn = warp.draw(player.state().offset)
    return drawn >= range.from && drawn <= range.to ? drawn : (range.from + range.to) / 2
  }
  return (
    <div className={classes.tools}>
      <Text size="xs" c="dimmed" style={{ flex: 1 }} truncate>
        {counted(props.spans, 'span')} · {lasting(range, warp)}
        {!whole && ` of ${lasting(all, warp)}`}
      </Text>
      <Legend />
      {props.silent > 0 && (
        <Button
          size="compact-xs"
          variant={props.foldsSilence ? 'light' : 'subtle'}
          color={props.foldsSilence ? 'deck' : 'gray'}
          aria-pressed={props.foldsSilence}
          title="Draw long silences short: times in which nothing arrived and nothing was called"
          onClick={() => props.onFoldSilence(!props.foldsSilence)}
        >
          Fold silence
        </Button>
      )}
      {props.folded && (
        <Button size="compact-xs" variant="subtle" color="gray" onClick={props.onUnfold}>
          Unfold all
        </Button>
      )}
      {props.view !== 'rows' && !(props.fits && whole) && (
        <Button
          size="compact-xs"
          variant="subtle"
          title="Show the time of the rows in sight, and go on with them"
          onClick={() => props.onView('rows')}
        >
          Rows in sight
        </Button>
      )}
      {!whole && (
        <Button size="compact-xs" variant="subtle" onClick={() => props.onView('whole')}>
          Whole run
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

/** How long what is drawn in a range lasted. */
function lasting({ from, to }: Range, warp: Warp): string {
  return duration(warp.moment(to) - warp.moment(from))
}

/** What the colours of bars mean, where there is room for it. */
function Legend() {
  return (
    <span className={classes.legend} aria-hidden>
      {(['model', 'before output', 'tool', 'step', 'failed', 'silent', 'open'] as const).map((name) => (
        <span key={name}>
          <i data-of={name} />
          {name}
        </span>
      ))}
    </span>
  )
}
