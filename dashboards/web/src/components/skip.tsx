import classes from './skip.module.css'

/** A way past what the Tab key would take long to go through, seen when it is come to. `to` is an element's id. */
export function Skip({ to, children }: { to: string; children: string }) {
  return (
    <a
      className={classes.skip}
      href={`#${to}`}
      onClick={(event) => {
        // The address is not changed: its fragment may hold the secret of a shared link, and a change of it looks
        // like Back or Forward.
        event.preventDefault()
        document.getElementById(to)?.focus()
      }}
    >
      {children}
    </a>
  )
}
