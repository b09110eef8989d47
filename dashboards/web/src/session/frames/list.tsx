import { Button } from '@mantine/core'
import { useElementSize, useMergedRef } from '@mantine/hooks'
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react'
import type { Schemas } from '../../api/client'
import { usePlayer, usePlayerState } from '../player/context'
import classes from './frames.module.css'
import { arrivedBy } from './marks'
import { type FrameFilter, type FrameLine, pageQuery, pageSize } from './queries'
import { FrameRow } from './row'
import { heightOf, rowsInSight, topShowing } from './rowwindow'

interface Props {
  session: Schemas['SessionDetail']
  filter: FrameFilter
  index: Schemas['FrameIndex']
  /** The position of the frame whose details are shown. */
  chosen: string | null
  onChoose: (position: string) => void
}

/** The frames as rows, of which those in sight are fetched; the row of the player's moment stays in sight. */
export function FrameList({ session, filter, index, chosen, onChoose }: Props) {
  const player = usePlayer()
  const client = useQueryClient()
  const scroller = useRef<HTMLDivElement>(null)
  const size = useElementSize<HTMLDivElement>()
  const ref = useMergedRef(scroller, size.ref)
  const [top, setTop] = useState(0)
  const [following, setFollowing] = useState(true)
  const id = useId()
  const sight = { total: index.total, view: size.height, top }
  const { first, end, at } = rowsInSight(sight)

  const now = useRowOfMoment(session.id, filter, index)
  const pages = new Set<number>()
  for (let row = first; row < end; row += pageSize) pages.add(pageOf(row))
  if (end > first) pages.add(pageOf(end - 1))
  const wanted = [...pages]
  const loaded = useQueries({
    queries: wanted.map((page) => pageQuery(client, session.id, filter, ...pageAt(index, page))),
  })
  const lineAt = (row: number): FrameLine | undefined =>
    loaded[wanted.indexOf(pageOf(row))]?.data?.[row % pageSize]

  // Scrolling is the one thing here that is the browser's to do.
  useEffect(() => {
    const view = scroller.current
    if (view === null || !following || now < 0 || size.height === 0) return
    const to = topShowing(now, { total: index.total, view: size.height, top: view.scrollTop })
    if (Math.abs(to - view.scrollTop) >= 1) view.scrollTop = to
  }, [now, following, index.total, size.height])

  // The details of a frame take room from the list, in which its row stays in sight.
  const kept = useRef<number | null>(null)
  useEffect(() => {
    const view = scroller.current
    if (view !== null && kept.current !== null && size.height > 0)
      view.scrollTop = topShowing(kept.current, {
        total: index.total,
        view: size.height,
        top: view.scrollTop,
      })
  }, [index.total, size.height])

  const rows: number[] = []
  for (let row = first; row < end; row++) rows.push(row)
  const chosenRow = rows.find((row) => chosen !== null && lineAt(row)?.position === chosen)
  /** Acts on a row as soon as its frame is there: a row that is still being fetched can be chosen too. */
  const withLine = (row: number, act: (line: FrameLine) => void) => {
    const line = lineAt(row)
    if (line !== undefined) {
      act(line)
      return
    }
    if (row < 0 || row >= index.total) return
    const query = pageQuery(client, session.id, filter, ...pageAt(index, pageOf(row)))
    client.query({ ...query, staleTime: 'static' }).then(
      (lines) => {
        const fetched = lines[row % pageSize]
        if (fetched !== undefined) act(fetched)
      },
      () => undefined, // The list itself shows that the page could not be fetched.
    )
  }
  const choose = (row: number) =>
    withLine(row, ({ position }) => {
      const view = scroller.current
      if (view === null) return
      setFollowing(false)
      kept.current = row
      onChoose(position)
      view.scrollTop = topShowing(row, { ...sight, top: view.scrollTop })
    })
  // The same function for as long as the rows are there: they are not drawn anew for another one.
  const click = useRef<(number: number) => void>(() => undefined)
  useEffect(() => {
    click.current = (number) =>
      withLine(number - 1, ({ position }) => {
        onChoose(position)
        player.seekTo(position)
      })
  })
  const clicked = useCallback((number: number) => click.current(number), [])
  const follow = () => {
    kept.current = null
    setFollowing(true)
  }
  /** The list is scrolled by hand. */
  const leave = () => {
    kept.current = null
    setFollowing(false)
  }
  const keys = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const from = chosenRow ?? Math.max(now, first)
    const handled: Record<string, () => void> = {
      ArrowDown: () => choose(chosenRow === undefined ? from : from + 1),
      ArrowUp: () => choose(from - 1),
      Home: () => choose(0),
      End: () => choose(index.total - 1),
      Enter: () => chosen !== null && player.seekTo(chosen),
    }
    const act = handled[event.key]
    if (act === undefined) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  const failed = loaded.find(({ error }) => error !== null)
  return (
    <div className={classes.list}>
      <div
        ref={ref}
        className={classes.scroller}
        role="grid"
        aria-label="Frames"
        aria-rowcount={index.total}
        aria-activedescendant={chosenRow === undefined ? undefined : `${id}-${chosenRow}`}
        tabIndex={0}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onWheel={leave}
        onTouchMove={leave}
        onPointerDown={(event) => {
          if (event.target === event.currentTarget) leave()
        }}
        onKeyDown={keys}
      >
        <div role="presentation" style={{ height: heightOf(index.total), position: 'relative' }}>
          <div role="presentation" className={classes.rows} style={{ transform: `translateY(${at}px)` }}>
            {rows.map((row) => (
              <FrameRow
                key={row}
                id={`${id}-${row}`}
                number={row + 1}
                line={lineAt(row)}
                isNow={row === now}
                isAfter={row > now}
                isChosen={row === chosenRow}
                onChoose={clicked}
              />
            ))}
          </div>
        </div>
      </div>
      {failed !== undefined && (
        <Button className={classes.jump} size="compact-sm" color="red" onClick={() => void failed.refetch()}>
          Some frames could not be fetched: try again
        </Button>
      )}
      {!following && failed === undefined && (
        <Button className={classes.jump} size="compact-sm" radius="xl" onClick={follow}>
          Follow the player
        </Button>
      )}
    </div>
  )
}

function pageOf(row: number): number {
  return Math.floor(row / pageSize)
}

/** Where a page begins, and how many rows it has. */
function pageAt(index: Schemas['FrameIndex'], page: number): [string | undefined, number] {
  const rows = Math.min(pageSize, index.total - page * pageSize)
  return [page === 0 ? undefined : index.items[page - 1]?.position, rows]
}

/** The last row that had arrived by the player's moment, counted from 0; -1 before the first. */
function useRowOfMoment(session: string, filter: FrameFilter, index: Schemas['FrameIndex']): number {
  // The page changes seldom, so that the moment is looked for in one that is there.
  const page = usePlayerState((state) => Math.min(arrivedBy(index.items, state), pageOf(index.total - 1)))
  const client = useQueryClient()
  const { data } = useQuery(pageQuery(client, session, filter, ...pageAt(index, page)))
  return usePlayerState((state) => page * pageSize + (data === undefined ? 0 : arrivedBy(data, state)) - 1)
}
