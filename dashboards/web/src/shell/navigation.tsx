import { IconChevronDown } from '@tabler/icons-react'
import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Link } from 'wouter'
import classes from './navigation.module.css'
import type { Group, Page } from './pages'

/** The links to the pages; those of a group are in a list that a button unfolds. */
export function Navigation({
  entries,
  current,
}: {
  entries: readonly (Page | Group)[]
  /** The path of the present page. */
  current: string | null
}) {
  return (
    <nav className={classes.nav} aria-label="Pages">
      <ul className={classes.bar}>
        {entries.map((entry) => (
          <li key={entry.name} className={classes.entry}>
            {'pages' in entry ? (
              <Unfolding group={entry} current={current} />
            ) : (
              <PageLink page={entry} current={current} />
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
}

export function PageLink({
  page,
  current,
  onClick,
}: {
  page: Page
  current: string | null
  onClick?: () => void
}) {
  return (
    <Link
      href={page.path}
      className={classes.link}
      aria-current={page.path === current ? 'page' : undefined}
      onClick={onClick}
    >
      {page.name}
    </Link>
  )
}

/** A group: Escape, a click elsewhere and the focus elsewhere fold it; arrows move between its links. */
function Unfolding({ group: { name, pages }, current }: { group: Group; current: string | null }) {
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  useEffect(() => {
    if (!open) return undefined
    const pressed = (event: PointerEvent) => {
      if (event.target instanceof Node && box.current?.contains(event.target) !== true) setOpen(false)
    }
    document.addEventListener('pointerdown', pressed)
    return () => document.removeEventListener('pointerdown', pressed)
  }, [open])

  const left = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof Node && box.current?.contains(relatedTarget) !== true) setOpen(false)
  }
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && open) {
      setOpen(false)
      button.current?.focus()
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!open) setOpen(true)
      const down = event.key === 'ArrowDown'
      // The links are there once the list is drawn.
      requestAnimationFrame(() => {
        const links = [...(box.current?.querySelectorAll('a') ?? [])]
        const at = links.findIndex((link) => link === document.activeElement)
        links.at(at < 0 ? (down ? 0 : -1) : (at + (down ? 1 : -1)) % links.length)?.focus()
      })
    }
  }
  return (
    <div ref={box} onBlur={left} onKeyDown={key}>
      <button
        ref={button}
        className={classes.group}
        aria-expanded={open}
        aria-controls={id}
        data-current={pages.some(({ path }) => path === current) || undefined}
        onClick={() => setOpen(!open)}
      >
        {name}
        <IconChevronDown size={14} aria-hidden />
      </button>
      <ul id={id} className={classes.list} hidden={!open} aria-label={name}>
        {pages.map((page) => (
          <li key={page.path}>
            <PageLink page={page} current={current} onClick={() => setOpen(false)} />
          </li>
        ))}
      </ul>
    </div>
  )
}
