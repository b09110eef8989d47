import { Button } from '@mantine/core'
import { IconArrowDown } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useFind } from '../find/context'
import type { Lane } from '../lanes'
import { usePlayerState } from '../player/context'
import { useFollow } from './follow'
import { FoldsContext } from './folds'
import { countUntil } from './growth'
import type { Item } from './items'
import classes from './list.module.css'
import { MessageRow } from './message'
import { RunBegin, RunEnd } from './run'
import { ToolCard } from './tool'

/** All of a conversation that had arrived by the player's moment. `started` is the session's start. */
export function ConversationList({
  items,
  lanes,
  started,
}: {
  items: readonly Item[]
  /** Of sub-agents, by spans. */
  lanes: ReadonlyMap<string, Lane>
  started: string
}) {
  const froms = useMemo(() => Float64Array.from(items, ({ from }) => from), [items])
  const count = usePlayerState(({ offset }) => countUntil(froms, offset))
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map())
  const folds = useMemo(
    () => ({
      opened,
      set: (key: string, open: boolean) => setOpened((all) => new Map(all).set(key, open)),
    }),
    [opened],
  )
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const { following, follow, leave } = useFollow(scroller, content)
  // A new function would have all rows placed anew.
  const keyOf = useCallback((i: number) => items[i]?.key ?? i, [items])
  // eslint-disable-next-line react-hooks/incompatible-library -- it draws this component itself when it scrolls
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => estimate(items[i]),
    getItemKey: keyOf,
    overscan: 8,
    paddingStart: 12,
    paddingEnd: 20,
    gap: 10,
  })
  const shown = rows.getVirtualItems()
  const { hit } = useFind()
  const found = useMemo(
    () => (hit?.item == null ? -1 : items.findIndex(({ key }) => key === hit.item)),
    [items, hit],
  )
  useEffect(() => {
    if (found < 0) return
    leave()
    rows.scrollToIndex(found, { align: 'end' })
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each hit that is gone to
  }, [hit])
  return (
    <FoldsContext value={folds}>
      <div className={classes.view}>
        <div
          ref={scroller}
          className={classes.scroller}
          tabIndex={0}
          role="log"
          aria-label="Conversation"
          aria-live="off"
        >
          <div ref={content} className={classes.content} style={{ height: rows.getTotalSize() }}>
            <div className={classes.rows} style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }}>
              {shown.map(({ key, index }) => {
                const item = items[index]
                return (
                  <div key={key} ref={rows.measureElement} data-index={index} className={classes.row}>
                    {item !== undefined && (
                      <InLane lane={laneOf(item, lanes)} before={laneOf(items[index - 1], lanes)}>
                        <Row item={item} started={started} />
                      </InLane>
                    )}
                  </div>
                )
              })}
            </div>
          </div>
          {count === 0 && <p className={classes.nothing}>Nothing had been said yet at this moment.</p>}
        </div>
        {!following && (
          <Button
            className={classes.jump}
            size="compact-sm"
            radius="xl"
            leftSection={<IconArrowDown size={14} />}
            onClick={follow}
          >
            Jump to now
          </Button>
        )}
      </div>
    </FoldsContext>
  )
}

/** What a sub-agent said and did is indented, in its colour; its title is repeated where another spoke between. */
function InLane({ lane, before, children }: { lane: Lane | null; before: Lane | null; children: ReactNode }) {
  if (lane === null) return children
  return (
    <div className={classes.lane} data-lane={lane.colour}>
      {lane !== before && (
        <div className={classes.agent} title={lane.title}>
          {lane.title}
        </div>
      )}
      {children}
    </div>
  )
}

/** The lane of an item. The call of a sub-agent is a call of who made it. */
function laneOf(item: Item | undefined, lanes: ReadonlyMap<string, Lane>): Lane | null {
  switch (item?.kind) {
    case 'message':
      return lanes.get(item.message.span_id) ?? null
    case 'tool':
      return lanes.get(item.call.span?.parent ?? '') ?? null
    case 'run':
    case 'end':
      return lanes.get(item.span.id) ?? null
    default:
      return null
  }
}

/** Drawn anew by itself as what it shows grows, and not with the list. */
const Row = memo(function Row({ item, started }: { item: Item; started: string }) {
  switch (item.kind) {
    case 'message':
      return <MessageRow message={item.message} started={started} />
    case 'tool':
      return <ToolCard call={item.call} from={item.from} started={started} />
    case 'run':
      return <RunBegin span={item.span} number={item.number} started={started} />
    case 'end':
      return <RunEnd {...item} at={item.from} started={started} />
  }
})

/** About how tall an item is before it was measured, pixels. */
function estimate(item: Item | undefined): number {
  switch (item?.kind) {
    case 'message':
      return item.message.kind === 'thinking' || item.message.kind === 'system'
        ? 26
        : 46 + Math.min(20_000, Math.ceil(item.message.text.length / 80) * 22)
    case 'tool':
      return 150
    default:
      return 28
  }
}
