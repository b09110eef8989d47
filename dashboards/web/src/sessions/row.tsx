import type { CSSProperties, MouseEvent } from 'react'
import { Link } from 'wouter'
import { cells, Tags } from './cells'
import choosing from './chosen.module.css'
import type { Column } from './columns'
import { Progress } from './progress'
import type { Session } from './rows'
import classes from './table.module.css'

/** A session's line in the list. All of it leads to the session, but the box that chooses it. */
export function Row({
  session,
  columns,
  index,
  place,
  isStop,
  chosen,
  choose,
  style,
}: {
  session: Session
  columns: readonly Column[]
  index: number
  /** Where it is in the whole list, counted from 0; null if that is not known. */
  place: number | null
  /** The Tab key comes to it. */
  isStop: boolean
  chosen: boolean
  /** The box was clicked; with `range` by a click that goes with the one before. */
  choose: (session: Session, range: boolean) => void
  style: CSSProperties
}) {
  const { id, title, tags } = session
  return (
    <div
      role="row"
      aria-rowindex={place === null ? undefined : place + 2}
      className={classes.row}
      style={style}
      data-status={session.status}
      onClick={open}
      data-chosen={chosen || undefined}
    >
      <div role="cell" className={choosing.box}>
        <label className={choosing.box}>
          <input
            type="checkbox"
            aria-label={`Choose ${title === '' ? id : title}`}
            checked={chosen}
            tabIndex={isStop ? 0 : -1}
            onChange={({ nativeEvent }) =>
              choose(session, nativeEvent instanceof window.MouseEvent && nativeEvent.shiftKey)
            }
          />
        </label>
      </div>
      <div role="cell" className={classes.session}>
        <Link
          href={`/sessions/${encodeURIComponent(id)}`}
          className={classes.link}
          data-row={index}
          aria-keyshortcuts="x Shift+x"
          tabIndex={isStop ? 0 : -1}
        >
          {title === '' ? id : title}
        </Link>
        <div className={classes.under}>
          <Progress session={session} />
          {title !== '' && <span className={classes.id}>{id}</span>}
          {columns.every((column) => column.id !== 'tags') && <Tags tags={tags} />}
        </div>
      </div>
      {columns.map((column) => (
        <div
          key={column.id}
          role="cell"
          className={classes[column.id]}
          data-figures={column.figures === true || undefined}
        >
          {cells[column.id](session)}
        </div>
      ))}
    </div>
  )
}

/** What has a tooltip lies above the link of the row, and leads there all the same. */
function open({ target, currentTarget }: MouseEvent<HTMLElement>) {
  if (target instanceof Element && target.closest('a, label') === null)
    currentTarget.querySelector('a')?.click()
}
