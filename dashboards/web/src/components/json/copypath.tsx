import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useClipboard } from '@mantine/hooks'
import { pathText, type Step } from './path'
import classes from './tree.module.css'

/** Copies the path of the line that the pointer is on. By keyboard the search has the path of what it finds. */
export function CopyPath({ steps }: { steps: readonly Step[] }) {
  const { copy, copied } = useClipboard()
  return (
    <button
      className={classes.copy}
      tabIndex={-1}
      aria-hidden
      title={copied ? 'Copied' : `Copy ${pathText(steps)}`}
      onClick={() => copy(pathText(steps))}
    >
      {copied ? <IconCheck size={12} /> : <IconCopy size={12} />}
    </button>
  )
}
