import { Skeleton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent, type RefObject } from 'react'
import { Loading } from '../components/loading'
import { SortButton } from '../components/sortbutton'
import type { Choosing } from './choosing'
import { columns, findingsColumn, nextSort, sortedAs } from './columns'
import type { Sort } from '../filters/filter'
import { Row } from './row'
import { keepPlace, keptPlace } from './place'
import type { Session } from './rows'
import classes from './table.module.css'

/** How many rows before the loaded ones' end the next are fetched. */
const ahead = 30
const rowHeight = { wide: 40, narrow: 84 }

/** The list as a table of which only the rows in sight are drawn, however long it is. */
export function SessionTable({
  rows,
  sort,
  setSort,
  narrow,
  findings,
  choosing,
  loading,
  stale,
  more,
  fetching,
  whole,
}: {
  rows: readonly Session[]
  sort: Sort
  setSort: (sort: Sort) => void
  narrow: boolean
  /** Whether there is a column of what does not add up. */
  findings: boolean
  choosing: Pick<Choosing, 'chosen' | 'toggle'>
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
  const onKeyDown = (event: KeyboardEvent) => {
    const at = event.target instanceof HTMLElement ? event.target.dataset['row'] : undefined
    if (at === undefined) return
    const session = rows[Number(at)]
    if (event.key === 'x' && !event.ctrlKey && !event.metaKey && !event.altKey && session !== undefined) {
      event.preventDefault()
      choosing.toggle(session.id)
      return
    }
    const steps: Record<string, number> = {
      ArrowDown: Number(at) + 1,
      ArrowUp: Number(at) - 1,
      j: Number(at) + 1,
      k: Number(at) - 1,
      Home: 0,
      End: rows.length - 1,
    }
    const to = steps[event.key]
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    focusRow(to)
  }

  return (
    <div ref={scroller} className={classes.scroller} data-stale={stale || undefined}>
      <div
        role="table"
        aria-label="Sessions"
        aria-rowcount={whole ? rows.length + 1 : -1}
        aria-busy={loading}
        data-findings={findings || undefined}
      >
        <div role="rowgroup" className={classes.head}>
          <div role="row" aria-rowindex={1} className={classes.heads}>
            <div role="columnheader" className={classes.unseen}>
              Chosen
            </div>
            {(findings ? [...columns, findingsColumn] : columns).map((column) => (
              <div
                key={column.name}
                role="columnheader"
                aria-sort={column.sort === undefined ? undefined : sortedAs(sort, column.sort)}
                className={classes[nameOf(column.name)]}
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
                  index={index}
                  isStop={key === stopKey}
                  chosen={choosing.chosen.includes(session.id)}
                  toggle={choosing.toggle}
                  style={{ height, transform: `translateY(${start}px)` }}
                />
              )
            )
          })}
        </div>
      </div>
      {loading && <Waiting />}
      {rows.length > 0 && (
        <div className={classes.foot}>{fetching && <Loading size="xs" label="Loading more sessions" />}</div>
      )}
    </div>
  )
}

/**
 * Scrolls to where the list stood when its history entry was left, once rows up to there are loaded, and keeps
 * where it stands.
 */
function useKeptPlace(
  scroller: RefObject<HTMLDivElement | null>,
  size: number,
  more: (() => void) | null,
  whole: boolean,
) {
  const target = useRef<number | null>(null) // px; 0 once it was reached
  useEffect(() => {
    const element = scroller.current
    target.current ??= keptPlace()
    if (target.current === 0 || element === null || size === 0) return
    if (size < target.current + element.clientHeight && !whole && size < farthest) {
      more?.()
      return
    }
    element.scrollTo({ top: target.current })
    target.current = 0
  }, [scroller, size, more, whole])
  useEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const keep = () => {
      clearTimeout(timer)
      keepPlace(element.scrollTop)
    }
    const scrolled = () => {
      clearTimeout(timer)
      timer = setTimeout(keep, 150)
    }
    element.addEventListener('scroll', scrolled, { passive: true })
    element.addEventListener('click', keep) // before the link that was clicked leaves the history entry
    return () => {
      clearTimeout(timer)
      element.removeEventListener('scroll', scrolled)
      element.removeEventListener('click', keep)
    }
  }, [scroller])
}

/** How much of a list is loaded to come back to a place, px: 10,000 rows. */
const farthest = 10_000 * rowHeight.wide

function Head({
  name,
  by,
  sort,
  setSort,
}: {
  name: string
  by: (typeof columns)[number]['sort']
  sort: Sort
  setSort: (sort: Sort) => void
}) {
  if (by === undefined) return name
  return <SortButton name={name} sorted={sortedAs(sort, by)} onClick={() => setSort(nextSort(sort, by))} />
}

/** The class of a column's cells. */
function nameOf(column: string): string {
  return column === 'Last frame' ? 'last' : column.toLowerCase()
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
