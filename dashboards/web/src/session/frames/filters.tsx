import { MultiSelect, SegmentedControl, Text } from '@mantine/core'
import type { Schemas } from '../../api/client'
import { compact, counted } from '../../format/numbers'
import classes from './frames.module.css'
import type { FrameFilter } from './queries'

type FrameType = Schemas['FrameTypes']['items'][number]

/** Which frames are listed: of some types, of one direction. */
export function Filters(props: {
  types: readonly FrameType[]
  filter: FrameFilter
  total: number | undefined
  onChange: (filter: FrameFilter) => void
}) {
  const { types, filter, total, onChange } = props
  const counts = new Map<string, number>()
  for (const { type, frames } of types) counts.set(type, (counts.get(type) ?? 0) + frames)
  const bothWays = new Set(types.map(({ direction }) => direction)).size > 1
  return (
    <div className={classes.filters}>
      <MultiSelect
        size="xs"
        className={classes.types}
        aria-label="Types of frames"
        placeholder={filter.types.length === 0 ? 'All types' : ''}
        data={[...counts]
          .filter(([type]) => type !== '')
          .map(([type, frames]) => ({ value: type, label: `${type} (${compact(frames)})` }))}
        value={[...filter.types]}
        onChange={(chosen) => onChange({ ...filter, types: chosen })}
        searchable
        clearable
        hidePickedOptions
        withScrollArea={false}
        classNames={{ options: classes.options }}
        comboboxProps={{ floatingStrategy: 'fixed', portalProps: { target: 'main' } }} // a landmark
        nothingFoundMessage="There is no such type"
      />
      {bothWays && (
        <SegmentedControl
          size="xs"
          aria-label="Direction"
          value={filter.direction ?? ''}
          onChange={(value) => onChange({ ...filter, direction: value === '' ? null : value })}
          data={[
            { value: '', label: 'Both' },
            { value: 'receive', label: 'Received' },
            { value: 'send', label: 'Sent' },
          ]}
        />
      )}
      {total !== undefined && (
        <Text size="xs" c="dimmed" aria-live="polite">
          {counted(total, 'frame')}
        </Text>
      )}
    </div>
  )
}
