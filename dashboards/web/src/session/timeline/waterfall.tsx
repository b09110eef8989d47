import { useElementSize } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type WheelEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { Schemas } from '../../api/client'
import { usePlayer, usePlayerState } from '../player/context'
import { Axis } from './axis'
import { SpanDetail } from './detail'
import { useNoPageZoom } from './pagezoom'
import { Playhead } from './playhead'
import { extentOf, type Range, type Row, rowsOf } from './rows'
import { following, isWhole, pan, within, zoom } from './scale'
import { SpanRow } from './spanrow'
import { Tools } from './tools'
import classes from './waterfall.module.css'

const rowHeight = 28

/** The spans as lines over one axis of time. */
export function Waterfall({ timeline }: { timeline: Schemas['Timeline'] }) {
  const player = usePlayer()
  const running = usePlayerState((state) => state.running)
  // While the session grows, in steps that can be seen.
  const duration = usePlayerState((state) =>
    running ? Math.ceil(state.duration / 100) * 100 : state.duration,
  )
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const [zoomed, setZoomed] = useState<Range | null>(null)
  const [chosen, setChosen] = useState<string | null>(null)
  const rows = useMemo(() => rowsOf(timeline.spans, folded), [timeline.spans, folded])
  const all = useMemo(() => extentOf(rows, duration), [rows, duration])
  const range = useMemo(() => (zoomed === null ? all : within(zoomed, all)), [zoomed, all])
  const longest = useMemo(() => new Map(timeline.gaps.map((gap) => [gap.span_id, gap])), [timeline.gaps])
  const scroller = useRef<HTMLDivElement>(null)
  const track = useElementSize()
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  // eslint-disable-next-line react-hooks/incompatible-library -- it draws this component itself when it scrolls
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  })
  useEffect(() => {
    let before = player.state().offset
    return player.subscribe(() => {
      const { offset, playing } = player.state()
      const next = playing ? following(range, all, before, offset) : null
      before = offset
      if (next !== null) setZoomed(next)
    })
  }, [player, range, all])
  const at = rows.findIndex(({ span }) => span.id === chosen)
  const row = rows[at]

  const show = (next: Range) => setZoomed(isWhole(next, all) ? null : next)
  const choose = (i: number) => {
    const next = rows[Math.min(Math.max(i, 0), rows.length - 1)]
    if (next === undefined) return
    setChosen(next.span.id)
    lines.scrollToIndex(rows.indexOf(next))
  }
  const fold = (span: Row['span'], closed: boolean) => {
    const next = new Set(folded)
    if (closed) next.add(span.id)
    else next.delete(span.id)
    setFolded(next)
  }
  const keys = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const handled: Record<string, () => void> = {
      ArrowDown: () => choose(at + 1),
      ArrowUp: () => choose(at < 0 ? 0 : at - 1),
      Home: () => choose(0),
      End: () => choose(rows.length - 1),
      PageDown: () => choose(at + 10),
      PageUp: () => choose(at - 10),
      ArrowRight: () => {
        if (row && folded.has(row.span.id)) fold(row.span, false)
        else if (row && row.span.children.length > 0) choose(at + 1)
      },
      ArrowLeft: () => {
        if (row && row.span.children.length > 0 && !folded.has(row.span.id)) fold(row.span, true)
        else if (row) choose(rows.findIndex(({ span }) => span.id === row.span.parent))
      },
      Enter: () => row && player.seek(row.span.start_ms),
      Escape: () => setChosen(null),
      '+': () => show(zoom(range, all, 0.5, middle(range))),
      '-': () => show(zoom(range, all, 2, middle(range))),
    }
    const act = handled[event.key]
    if (act === undefined) return
    // These keys are the player's elsewhere.
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  const wheel = (event: WheelEvent) => {
    const { left = 0, width = 0 } = box.current?.getBoundingClientRect() ?? {}
    if (width === 0) return
    const perPixel = (range.to - range.from) / width
    if (event.ctrlKey || event.metaKey)
      show(zoom(range, all, 1.0025 ** event.deltaY, range.from + (event.clientX - left) * perPixel))
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      show(pan(range, all, (event.shiftKey ? event.deltaY + event.deltaX : event.deltaX) * perPixel))
  }
  useNoPageZoom(scroller)

  return (
    <div className={classes.view}>
      <Tools
        range={range}
        all={all}
        onShow={show}
        spans={rows.length}
        folded={folded.size > 0}
        onUnfold={() => setFolded(new Set())}
      />
      <div ref={scroller} className={classes.scroller} onWheel={wheel}>
        <div className={classes.over}>
          <div className={classes.playhead}>
            <Playhead range={range} />
          </div>
        </div>
        <div className={classes.top}>
          <div className={classes.corner} />
          <div ref={box} className={classes.track}>
            <div ref={track.ref} className={classes.axis}>
              <Axis range={range} all={all} width={track.width} onShow={show} />
            </div>
          </div>
        </div>
        <div
          className={classes.rows}
          style={{ height: lines.getTotalSize() }}
          role="treegrid"
          aria-label="Spans"
          aria-rowcount={rows.length}
          aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
          tabIndex={0}
          onKeyDown={keys}
        >
          {lines.getVirtualItems().map(({ index, start }) => {
            const line = rows[index]
            if (line === undefined) return null
            return (
              <div
                key={line.span.id}
                id={`${id}-${index}`}
                role="row"
                aria-rowindex={index + 1}
                aria-level={line.depth + 1}
                aria-selected={line.span.id === chosen}
                {...(line.span.children.length > 0 && { 'aria-expanded': !folded.has(line.span.id) })}
                className={classes.row}
                style={{ transform: `translateY(${start}px)` }}
              >
                <SpanRow
                  row={line}
                  range={range}
                  end={running ? duration : null}
                  gap={longest.get(line.span.id)}
                  folded={folded.has(line.span.id)}
                  onFold={() => fold(line.span, !folded.has(line.span.id))}
                  onChoose={() => setChosen(line.span.id)}
                />
              </div>
            )
          })}
        </div>
      </div>
      {row !== undefined && (
        <SpanDetail span={row.span} started={timeline.started} onClose={() => setChosen(null)} />
      )}
    </div>
  )
}

function middle({ from, to }: Range): number {
  return (from + to) / 2
}
