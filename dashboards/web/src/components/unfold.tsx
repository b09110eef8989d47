import { UnstyledButton } from '@mantine/core'
import classes from './unfold.module.css'

/** Shows all of a long text, or its beginning again. `rest` is how much is folded. */
export function Unfold({
  open,
  rest,
  toggle,
  className = '',
}: {
  open: boolean
  rest: string
  toggle: () => void
  className?: string | undefined
}) {
  return (
    <UnstyledButton className={`${classes.unfold} ${className}`} aria-expanded={open} onClick={toggle}>
      {open ? 'Show less' : `Show all (${rest} more)`}
    </UnstyledButton>
  )
}

/** Says that a text is too long to be shown whole. */
export function LeftOut() {
  return <p className={classes.note}>The rest is left out here; the copy has all of it.</p>
}
