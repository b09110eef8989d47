import { CloseButton } from '@mantine/core'
import { useRef, type KeyboardEvent, type ReactNode } from 'react'
import classes from './detailpane.module.css'

/** What is known of one thing of a session, below the list in which it was chosen. The key Escape closes it. */
export function DetailPane({
  label,
  head,
  actions,
  close,
  onClose,
  children,
}: {
  label: string
  /** The head of the pane: what it is about, and at its other end what can be done with it. */
  head: ReactNode
  actions?: ReactNode
  /** The name of the button that closes the pane. */
  close: string
  onClose: () => void
  children: ReactNode
}) {
  const pane = useRef<HTMLElement>(null)
  // The focus goes back to the list, which a pane that is gone would leave nowhere.
  const leave = () => {
    pane.current?.parentElement
      ?.querySelector<HTMLElement>('[role="grid"], [role="treegrid"]')
      ?.focus({ preventScroll: true })
    onClose()
  }
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.stopPropagation()
    leave()
  }
  return (
    <aside ref={pane} className={classes.pane} aria-label={label} onKeyDown={key}>
      <header className={classes.head}>
        {head}
        <span className={classes.space} />
        {actions}
        <CloseButton size="sm" aria-label={close} onClick={leave} />
      </header>
      {children}
    </aside>
  )
}

export function PaneTitle({ children }: { children: string }) {
  return <h2 className={classes.title}>{children}</h2>
}

/** Names and values, beside one another as they fit. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
