import { Copy } from './copy'
import classes from './command.module.css'

/** A command to be typed, with a button that copies it. `what` is its accessible name. */
export function Command({ text, what = 'the command' }: { text: string; what?: string }) {
  return (
    <div className={classes.command}>
      <pre className={classes.text} tabIndex={0} aria-label={what}>
        {text}
      </pre>
      <div className={classes.copy}>
        <Copy text={text} what={`Copy ${what}`} />
      </div>
    </div>
  )
}
