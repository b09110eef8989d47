import { ActionIcon, CloseButton } from '@mantine/core'
import { IconMenu2 } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { PageLink } from './navigation'
import classes from './navigation.module.css'
import type { Group, Page } from './pages'

/** The navigation of narrow screens: a button that opens all links over the page. */
export function NavigationSheet({
  entries,
  current,
}: {
  entries: readonly (Page | Group)[]
  current: string | null
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [open, setOpen] = useState(false)
  const close = () => dialog.current?.close()
  const link = (page: Page) => (
    <li key={page.path}>
      <PageLink page={page} current={current} onClick={close} />
    </li>
  )
  return (
    <>
      <ActionIcon
        className={classes.menu ?? ''}
        variant="subtle"
        color="gray"
        size="lg"
        aria-label="Menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => {
          dialog.current?.showModal()
          setOpen(true)
        }}
      >
        <IconMenu2 size={20} />
      </ActionIcon>
      <dialog
        ref={dialog}
        className={classes.sheet}
        aria-label="Pages"
        onClose={() => setOpen(false)}
        onClick={(event) => {
          if (event.target === dialog.current && event.clientX > dialog.current.clientWidth) close()
        }}
      >
        <div className={classes.top}>
          tapedeck
          <CloseButton size="lg" aria-label="Close the menu" onClick={close} />
        </div>
        <nav className={classes.sections} aria-label="Pages">
          <ul>{entries.flatMap((entry) => ('pages' in entry ? [] : [link(entry)]))}</ul>
          {entries.map(
            (entry) =>
              'pages' in entry && (
                <section key={entry.name}>
                  <h2>{entry.name}</h2>
                  <ul>{entry.pages.map(link)}</ul>
                </section>
              ),
          )}
        </nav>
      </dialog>
    </>
  )
}
