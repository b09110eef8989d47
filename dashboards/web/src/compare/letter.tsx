import classes from './letter.module.css'

/** The letter of a side, in its colour. */
export function Letter({ side, className = '' }: { side: 'a' | 'b'; className?: string | undefined }) {
  return (
    <span className={`${classes.letter} ${className}`} data-side={side}>
      {side.toUpperCase()}
    </span>
  )
}
