import { Skeleton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState, type CSSProperties, type FocusEvent, type KeyboardEvent } from 'react'
import { Loading } from '../components/loading'
import { SortButton } from '../components/sortbutton'
import { count } from '../format/numbers'
import type { Choosing } from './choosing'
import { nextSort, sortedAs, type Column } from './columns'
import type { Sort } from '../filters/filter'
import { Row } from './row'
import type { ListRows } from './bothends'
import { rowHeight, useKeptPlace } from './keptplace'
import type { Session } from './rows'
import classes from './table.module.css'

/** How many rows before those that are not loaded they are fetched. */
const ahead = 30
/** The key of the row for the sessions that are not loaded; an id is never empty. */
const gapKey = ''

/** How many sessions the list has. */
interface Counted {
  sessions: number
  /** There are more than that. */
  more: boolean
}

/** The list as a table of which only the rows in sight are drawn, however long it is. */
export function SessionTable({
  loaded,
  totals,
  columns,
  sort,
  setSort,
  narrow,
  choosing,
  loading,
  stale,
}: {
  loaded: ListRows
  totals: Counted | undefined
  /** The columns beside that of the session. */
  columns: readonly Column[]
  sort: Sort
  setSort: (sort: Sort) => void
  narrow: boolean
  choosing: Pick<Choosing, 'chosen' | 'toggle' | 'add'>
  /** Nothing is there yet. */
  loading: boolean
  /** The rows are of the filter before. */
  stale: boolean
}) {
  const { rows, gap, whole, beginning, end } = loaded
  const scroller = useRef<HTMLDivElement>(null)
  const height = narrow ? rowHeight.narrow : rowHeight.wide
  const isBeyond = (offset: number | null) => gap >= 0 && (offset ?? 0) >= gap * height
  // The first row in sight comes after the gap: what is loaded above it must not move it.
  const [beyond, setBeyond] = useState(false)
  // eslint-disable-next-line react-hooks/incompatible-library -- it draws this component itself when it scrolls
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (i) => rows[i]?.id ?? gapKey,
    overscan: 12,
    anchorTo: beyond ? 'end' : 'start',
    onChange: ({ scrollOffset }) => setBeyond(isBeyond(scrollOffset)),
  })
  useEffect(() => virtual.measure(), [virtual, height])
  useKeptPlace(scroller, loaded, height, beyond)
  const items = virtual.getVirtualItems()
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  const up = isBeyond(virtual.scrollOffset)
  useEffect(() => {
    if (rows.length === 0) return
    if (up ? from <= gap + ahead : to >= (gap < 0 ? rows.length : gap) - ahead)
      (up ? end : beginning).more?.()
  }, [beginning, end, up, gap, from, to, rows.length])

  // Of all rows one is a stop of the Tab key, so that a long list is no long way; the arrows go to the others.
  const [stop, setStop] = useState<string | null>(null)
  const inSight =
    items.find(({ start, index }) => index !== gap && start >= (virtual.scrollOffset ?? 0)) ?? items[0]
  const stopKey = items.some(({ key }) => key === stop) ? stop : inSight?.key
  const onFocus = (event: FocusEvent) => {
    const row = event.target instanceof HTMLElement ? event.target.dataset['row'] : undefined
    if (row !== undefined) setStop(rows[Number(row)]?.id ?? null)
  }

  const focusRow = (index: number) => {
    const to = Math.min(Math.max(index, 0), rows.length - 1)
    if (to === gap) return // Its sessions are being loaded.
    virtual.scrollToIndex(to)
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-row="${to}"]`)?.focus())
  }
  const { toEnd, stay } = useToEnd(loaded, focusRow)
  // From wherever the focus is, but not from a field or a panel, which the hook leaves alone.
  useHotkeys(
    ['j', 'k'].map((key) => [
      key,
      () => {
        if (document.activeElement?.closest('[data-row]') == null) focusRow(inSight?.index ?? 0)
      },
      { preventDefault: false },
    ]),
  )
  // A range is chosen from the session that was chosen or unchosen last.
  const last = useRef<string | null>(null)
  const choose = (session: Session, range: boolean) => {
    const from = range ? rows.findIndex((row) => row?.id === last.current) : -1
    const to = rows.findIndex((row) => row?.id === session.id)
    const between = rows.slice(Math.min(from, to), Math.max(from, to) + 1)
    const known = between.filter((row) => row !== null)
    // Of a range with sessions that are not loaded only the one is chosen that was asked for.
    if (from < 0 || known.length < between.length) choosing.toggle(session)
    else choosing.add(known)
    last.current = session.id
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const at = event.target instanceof HTMLElement ? event.target.dataset['row'] : undefined
    if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const session = rows[Number(at)]
    if (event.key.toLowerCase() === 'x' && session != null) {
      event.preventDefault()
      choose(session, event.shiftKey)
      return
    }
    if (event.key === 'End') {
      event.preventDefault()
      toEnd()
      return
    }
    stay()
    const steps: Record<string, number> = {
      ArrowDown: Number(at) + 1,
      ArrowUp: Number(at) - 1,
      j: Number(at) + 1,
      k: Number(at) - 1,
      Home: 0,
    }
    const to = steps[event.key]
    if (to === undefined) return
    event.preventDefault()
    focusRow(to)
  }

  const size = whole ? rows.length : totals === undefined || totals.more ? null : totals.sessions
  const tracks = { '--columns': columns.map(({ width }) => width).join(' ') } as CSSProperties
  return (
    <div ref={scroller} className={classes.scroller} data-stale={stale || undefined}>
      <div
        role="table"
        aria-label="Sessions"
        aria-rowcount={size === null ? -1 : size + 1}
        aria-busy={loading || stale}
        className={classes.table}
        style={tracks}
      >
        <div role="rowgroup" className={classes.head}>
          <div role="row" aria-rowindex={1} className={classes.heads}>
            <div role="columnheader" className={classes.unseen}>
              Chosen
            </div>
            <div role="columnheader">Session</div>
            {columns.map((column) => (
              <div
                key={column.id}
                role="columnheader"
                aria-sort={column.sort === undefined ? undefined : sortedAs(sort, column.sort)}
                data-figures={column.figures === true || undefined}
              >
                {/* On narrow screens the heads are for screen readers only; a field sets the order. */}
                <Head
                  name={column.name}
                  by={narrow ? undefined : column.sort}
                  sort={sort}
                  setSort={setSort}
                />
              </div>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          className={classes.body}
          style={{ height: virtual.getTotalSize() }}
          inert={stale}
          onKeyDown={onKeyDown}
          onFocus={onFocus}
        >
          {items.map(({ key, index, start }) => {
            const session = rows[index]
            const style = { height, transform: `translateY(${start}px)` }
            if (session === undefined) return null
            if (session === null)
              return (
                <div key={key} role="row" className={classes.row} style={style}>
                  <div role="cell" aria-colspan={columns.length + 2} className={classes.gap}>
                    {beginning.fetching || end.fetching ? (
                      <Loading size="xs" label="Loading more sessions" />
                    ) : (
                      `${moreOf(totals, rows.length - 1)}, loaded as you scroll to them`
                    )}
                  </div>
                </div>
              )
            return (
              <Row
                key={key}
                session={session}
                columns={columns}
                index={index}
                place={gap < 0 || index < gap ? index : size === null ? null : size - rows.length + index}
                isStop={key === stopKey}
                chosen={choosing.chosen.has(session.id)}
                choose={choose}
                style={style}
              />
            )
          })}
        </div>
      </div>
      {loading && <Waiting />}
      {rows.length > 0 && (
        <div className={classes.foot}>
          {gap >= 0 || whole ? null : beginning.fetching || end.fetching ? (
            <Loading size="xs" label="Loading more sessions" />
          ) : (
            totals !== undefined &&
            totals.sessions > rows.length &&
            `${moreOf(totals, rows.length)}; End goes to the last`
          )}
        </div>
      )}
    </div>
  )
}

/** Goes to the last row of the list, once it is loaded. It is left off with `stay`. */
function useToEnd({ rows, gap, whole, end, wantEnd }: ListRows, focusRow: (index: number) => void) {
  const wanted = useRef(false)
  const go = () => {
    if (!wanted.current) return
    if (gap < 0 && !whole) wantEnd()
    else if (gap === rows.length - 1)
      end.more?.() // All that are loaded from the end stand on top.
    else {
      wanted.current = false
      focusRow(rows.length - 1)
    }
  }
  useEffect(go)
  return {
    toEnd: () => {
      wanted.current = true
      go()
    },
    stay: () => {
      wanted.current = false
    },
  }
}

/** How many sessions there are beside the loaded ones, in words. */
function moreOf(totals: Counted | undefined, loaded: number): string {
  if (totals === undefined || totals.sessions <= loaded) return 'More sessions'
  return `${totals.more ? 'More than ' : ''}${count(totals.sessions - loaded)} more`
}

function Head({
  name,
  by,
  sort,
  setSort,
}: {
  name: string
  by: Column['sort']
  sort: Sort
  setSort: (sort: Sort) => void
}) {
  if (by === undefined) return name
  return <SortButton name={name} sorted={sortedAs(sort, by)} onClick={() => setSort(nextSort(sort, by))} />
}

function Waiting() {
  return (
    <div className={classes.waiting} role="status" aria-label="Loading the sessions">
      {Array.from({ length: 8 }, (_, i) => (
        <Skeleton key={i} height={36} radius="sm" />
      ))}
    </div>
  )
}
