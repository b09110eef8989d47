import { Button } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { IconArrowsVertical } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type WheelEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { Schemas } from '../../api/client'
import { aboutsOf } from '../abouts'
import { lanesOf } from '../lanes'
import { usePlayer, usePlayerState } from '../player/context'
import { transcriptQuery } from '../queries'
import { useGo, usePlace } from '../useplace'
import { Axis } from './axis'
import { FoldBands } from './foldbands'
import { SpanDetail } from './detail'
import { keysOf } from './keys'
import { Minimap } from './minimap'
import { NamesEdge, useNames } from './names'
import { useNoPageZoom } from './pagezoom'
import { Playhead } from './playhead'
import { useRowFollow } from './rowfollow'
import { extentOf, type Range, type Row, rowsOf } from './rows'
import { following, isWhole, pan, within, zoom } from './scale'
import { rangeOf, type View, viewOf } from './sight'
import { withDescendants } from './span'
import { SpanRow } from './spanrow'
import { StateMarks } from './statemarks'
import { Tools } from './tools'
import { useWarp } from './usewarp'
import classes from './waterfall.module.css'

const step = 100
const rowHeight = 28
const axisHeight = 28

/** The spans as lines over one axis of time. */
export function Waterfall({
  session,
  timeline,
}: {
  session: Schemas['SessionDetail']
  timeline: Schemas['Timeline']
}) {
  const player = usePlayer()
  // While the session grows, in steps that can be seen.
  const known = usePlayerState((state) => (state.running ? Math.floor(state.known / step) * step : null))
  const duration = usePlayerState((state) => (state.running ? 0 : state.duration))
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const [view, setView] = useState<View>('rows')
  const chosen = usePlace().span
  const go = useGo()
  const rows = useMemo(() => rowsOf(timeline.spans, folded), [timeline.spans, folded])
  const [foldsSilence, setFoldsSilence] = useState(true)
  const extent = useMemo(
    () => extentOf(rows, known === null ? duration : known + step, known),
    [rows, duration, known],
  )
  const { warp, silent } = useWarp(timeline, extent, foldsSilence)
  // From here on in ms of the drawn axis.
  const all = useMemo(() => ({ from: warp.draw(extent.from), to: warp.draw(extent.to) }), [extent, warp])
  const longest = useMemo(() => new Map(timeline.gaps.map((gap) => [gap.span_id, gap])), [timeline.gaps])
  const transcript = useQuery(transcriptQuery(timeline.session_id)).data
  const abouts = useMemo(() => aboutsOf(transcript ?? []), [transcript])
  const lanes = useMemo(() => lanesOf(timeline.spans, abouts), [timeline.spans, abouts])
  const names = useNames()
  const scroller = useRef<HTMLDivElement>(null)
  const track = useElementSize()
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  const { following: follows, follow, still, show: scrollTo } = useRowFollow(scroller, rows, geometry)
  // eslint-disable-next-line react-hooks/incompatible-library -- it draws this component itself when it scrolls
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  })
  const first = lines.range?.startIndex ?? null
  const last = lines.range?.endIndex ?? null
  const edge = usePlayerState((state) => (state.live ? Math.floor(state.edge / step) * step : null))
  const inSight = useMemo(
    () =>
      rangeOf(
        rows,
        first === null || last === null ? null : { first, last },
        all,
        warp,
        known,
        edge !== null && follows ? { edge } : null,
      ),
    [rows, first, last, all, warp, known, edge, follows],
  )
  const range = useMemo(
    () => (view === 'rows' ? inSight : view === 'whole' ? all : within(view, all)),
    [view, inSight, all],
  )
  useEffect(() => {
    if (typeof view === 'string') return undefined
    let before = warp.draw(player.state().offset)
    return player.subscribe(() => {
      const { offset, playing } = player.state()
      const drawn = warp.draw(offset)
      const next = playing ? following(range, all, before, drawn) : null
      before = drawn
      if (next !== null) setView(next)
    })
  }, [player, range, all, view, warp])

  const at = rows.findIndex(({ span }) => span.id === chosen)
  const row = rows[at]
  const detailed = useMemo(() => row?.span ?? find(timeline.spans, chosen), [row, timeline.spans, chosen])
  const show = (next: Range) => setView(viewOf(next, all))
  const select = (span: string | null, how: 'push' | 'replace') => go({ span }, how)
  const choose = (i: number) => {
    const next = rows[Math.min(Math.max(i, 0), rows.length - 1)]
    if (next === undefined) return
    select(next.span.id, 'replace')
    scrollTo(rows.indexOf(next))
  }
  const fold = (span: Row['span'], closed: boolean) => {
    const next = new Set(folded)
    if (closed) next.add(span.id)
    else next.delete(span.id)
    setFolded(next)
  }
  // What is selected when the page opens is in sight.
  const opened = useRef(at)
  useEffect(() => scrollTo(opened.current), [scrollTo])

  const keys = keysOf({
    rows,
    at,
    folded,
    choose,
    fold,
    seek: (ms) => still(() => player.seek(ms)),
    close: () => select(null, 'replace'),
    zoom: (factor) => show(zoom(range, all, factor, middle(range))),
    pan: (share) => show(pan(range, all, (range.to - range.from) * share)),
    showAll: () => show(all),
  })
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
    <div ref={names.view} className={classes.view} style={names.style}>
      <Tools
        range={range}
        all={all}
        onShow={show}
        warp={warp}
        silent={silent}
        foldsSilence={foldsSilence}
        onFoldSilence={(folds) => {
          setFoldsSilence(folds)
          if (typeof view !== 'string') setView('rows') // a part of the other axis
        }}
        view={view}
        onView={setView}
        fits={isWhole(inSight, all)}
        spans={rows.length}
        folded={folded.size > 0}
        onUnfold={() => setFolded(new Set())}
      />
      {rows.length > 2 && (
        <Minimap rows={rows} range={range} all={all} warp={warp} known={known} onShow={show} />
      )}
      <div className={classes.body}>
        <NamesEdge names={names} />
        <div ref={scroller} className={classes.scroller} onWheel={wheel}>
          <div className={`${classes.over} ${classes.under}`}>
            <div className={classes.bands}>
              <FoldBands range={range} folds={warp.folds} />
            </div>
          </div>
          <div className={classes.over}>
            <div className={classes.playhead}>
              <Playhead range={range} warp={warp} />
            </div>
          </div>
          <div className={classes.top}>
            <div className={classes.corner} />
            <div ref={box} className={classes.track}>
              <div ref={track.ref} className={classes.axis}>
                <Axis range={range} all={all} warp={warp} width={track.width} onShow={show} />
                <StateMarks session={session} range={range} warp={warp} />
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
              const lane = lanes.get(line.span.id)
              // Beside the name of a sub-agent, which many have, is its task.
              const about = abouts.get(lane?.call.id === line.span.parent ? line.span.parent : line.span.id)
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
                    about={about ?? ''}
                    lane={lane?.colour ?? null}
                    range={range}
                    warp={warp}
                    known={known}
                    gap={longest.get(line.span.id)}
                    folded={folded.has(line.span.id)}
                    onFold={() => fold(line.span, !folded.has(line.span.id))}
                    onChoose={() => select(line.span.id, 'push')}
                    onSeek={(ms) => {
                      select(line.span.id, 'push')
                      still(() => player.seek(ms))
                    }}
                  />
                </div>
              )
            })}
          </div>
        </div>
        {!follows && (
          <Button
            className={classes.jump}
            size="compact-sm"
            radius="xl"
            leftSection={<IconArrowsVertical size={14} />}
            onClick={follow}
          >
            Jump to now
          </Button>
        )}
      </div>
      {detailed !== undefined && (
        <SpanDetail
          key={detailed.id}
          span={detailed}
          timeline={timeline}
          onClose={() => select(null, 'replace')}
        />
      )}
    </div>
  )
}

const geometry = { row: rowHeight, axis: axisHeight }

/** The span of an id, also below a folded one. */
function find(spans: Schemas['Timeline']['spans'], id: string | null): Row['span'] | undefined {
  if (id === null) return undefined
  for (const span of withDescendants(spans)) if (span.id === id) return span
  return undefined
}

function middle({ from, to }: Range): number {
  return (from + to) / 2
}
