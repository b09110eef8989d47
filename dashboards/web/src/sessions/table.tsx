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
import { rowHeight, useKeptPlace } from './keptplace'
import type { Session } from './rows'
import classes from './table.module.css'

/** How many rows before the loaded ones' end the next are fetched. */
const ahead = 30
/** How many rows the key End loads at most. */
const atOnce = 1000

/** The list as a table of which only the rows in sight are drawn, however long it is. */
export function SessionTable({
  rows,
  columns,
  sort,
  setSort,
  narrow,
  choosing,
  loading,
  stale,
  more,
  fetching,
  whole,
  rest,
}: {
  rows: readonly Session[]
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
  /** Fetches more rows; null when there are no more, or a request for them is in flight. */
  more: (() => void) | null
  /** More rows are being fetched. */
  fetching: boolean
  /** There are no more rows than these. */
  whole: boolean
  /** How many more rows there are in words; "" if that is not known. */
  rest: string
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const height = narrow ? rowHeight.narrow : rowHeight.wide
  // eslint-disable-next-line react-hooks/incompatible-library -- it draws this component itself when it scrolls
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (i) => rows[i]?.id ?? i,
    overscan: 12,
  })
  useEffect(() => virtual.measure(), [virtual, height])
  useKeptPlace(scroller, virtual.getTotalSize(), more, whole)
  const items = virtual.getVirtualItems()
  const end = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (more !== null && rows.length > 0 && end >= rows.length - ahead) more()
  }, [more, end, rows.length])

  // Of all rows one is a stop of the Tab key, so that a long list is no long way; the arrows go to the others.
  const [stop, setStop] = useState<string | null>(null)
  const inSight = items.find(({ start }) => start >= (virtual.scrollOffset ?? 0)) ?? items[0]
  const stopKey = items.some(({ key }) => key === stop) ? stop : inSight?.key
  const onFocus = (event: FocusEvent) => {
    const row = event.target instanceof HTMLElement ? event.target.dataset['row'] : undefined
    if (row !== undefined) setStop(rows[Number(row)]?.id ?? null)
  }

  const focusRow = (index: number) => {
    const to = Math.min(Math.max(index, 0), rows.length - 1)
    virtual.scrollToIndex(to)
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-row="${to}"]`)?.focus())
  }
  const { toEnd, stay } = useToEnd(rows.length, more, whole, focusRow)
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
    const from = range ? rows.findIndex(({ id }) => id === last.current) : -1
    const to = rows.findIndex(({ id }) => id === session.id)
    if (from < 0) choosing.toggle(session)
    else choosing.add(rows.slice(Math.min(from, to), Math.max(from, to) + 1))
    last.current = session.id
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const at = event.target instanceof HTMLElement ? event.target.dataset['row'] : undefined
    if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const session = rows[Number(at)]
    if (event.key.toLowerCase() === 'x' && session !== undefined) {
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

  const tracks = { '--columns': columns.map(({ width }) => width).join(' ') } as CSSProperties
  return (
    <div ref={scroller} className={classes.scroller} data-stale={stale || undefined}>
      <div
        role="table"
        aria-label="Sessions"
        aria-rowcount={whole ? rows.length + 1 : -1}
        aria-busy={loading}
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
          onKeyDown={onKeyDown}
          onFocus={onFocus}
        >
          {items.map(({ key, index, start }) => {
            const session = rows[index]
            return (
              session !== undefined && (
                <Row
                  key={key}
                  session={session}
                  columns={columns}
                  index={index}
                  isStop={key === stopKey}
                  chosen={choosing.chosen.has(session.id)}
                  choose={choose}
                  style={{ height, transform: `translateY(${start}px)` }}
                />
              )
            )
          })}
        </div>
      </div>
      {loading && <Waiting />}
      {rows.length > 0 && (
        <div className={classes.foot}>
          {fetching ? <Loading size="xs" label="Loading more sessions" /> : rest}
        </div>
      )}
    </div>
  )
}

/**
 * Goes to the end of the list: more rows are loaded first, up to a number of them, and then the last of the loaded ones
 * has the focus. It is left off with `stay`.
 */
function useToEnd(n: number, more: (() => void) | null, whole: boolean, focusRow: (index: number) => void) {
  const until = useRef<number | null>(null) // how many rows are to be loaded
  const go = () => {
    if (until.current === null) return
    if (!whole && n < until.current) {
      more?.()
      return
    }
    until.current = null
    focusRow(n - 1)
  }
  useEffect(go)
  return {
    toEnd: () => {
      until.current = n + atOnce
      go()
    },
    stay: () => {
      until.current = null
    },
  }
}

/** How many sessions follow the loaded ones, in words. */
export function restOf(totals: { sessions: number; more: boolean } | undefined, loaded: number): string {
  if (totals === undefined || totals.sessions <= loaded) return ''
  return `${totals.more ? 'more than ' : ''}${count(totals.sessions - loaded)} more; End loads the next ${count(Math.min(atOnce, totals.sessions - loaded))}`
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
