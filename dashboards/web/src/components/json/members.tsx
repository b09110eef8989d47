import { IconChevronRight } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { bytes, count, counted } from '../../format/numbers'
import { fold } from '../fold'
import { imageIn, imageOf } from '../images'
import { Picture } from '../picture'
import { restOf } from '../rest'
import { useTreeSearch } from './context'
import { CopyPath } from './copypath'
import { exactText } from './exact'
import { keyBelow, type Step } from './path'
import { marked, membersOf } from './search'
import classes from './tree.module.css'

/** Of how many members a list or an object shows at once. */
const page = 100

export type Branch = unknown[] | Record<string, unknown>

export function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null
}

interface Place {
  /** The key of the path to it. */
  path: string
  steps: readonly Step[]
  open: number
}

/** The members of a list or an object; of a long one the first, and the members that contain the searched text. */
export function Members({ value, path, steps, open }: Place & { value: Branch }) {
  const { open: found } = useTreeSearch()
  const [shown, setShown] = useState(page)
  const all = useMemo(() => membersOf(value), [value])
  const later = found.size === 0 ? [] : all.slice(shown).filter(([step]) => found.has(keyBelow(path, step)))
  const image = useMemo(() => imageIn(value), [value])
  return (
    <ul className={classes.members}>
      {image !== null && (
        <li>
          <Picture image={image} label="From the recording" />
        </li>
      )}
      {[...all.slice(0, shown), ...later].map(([step, member]) => (
        <Member
          key={step}
          step={step}
          value={member}
          path={keyBelow(path, step)}
          steps={[...steps, step]}
          open={open - 1}
        />
      ))}
      {shown + later.length < all.length && (
        <li>
          <button className={classes.more} onClick={() => setShown(shown + page * 10)}>
            {count(all.length - shown - later.length)} more
          </button>
        </li>
      )}
    </ul>
  )
}

function Member({ step, value, path, steps, open }: Place & { step: Step; value: unknown }) {
  const { open: found, current } = useTreeSearch()
  const [chosen, choose] = useState<boolean | null>(null)
  const here = current === path
  const seen = (element: HTMLElement | null) => {
    if (here) element?.scrollIntoView({ block: 'nearest' })
  }
  if (!isBranch(value) || sizeOf(value) === 0)
    return (
      <li className={classes.member} data-current={here || undefined} ref={seen}>
        <Name name={step} /> <Leaf value={value} path={path} />
        <CopyPath steps={steps} />
      </li>
    )
  const isOpen = chosen ?? (found.has(path) || (open > 0 && sizeOf(value) <= 20))
  return (
    <li>
      <span className={classes.head} data-current={here || undefined} ref={seen}>
        <button className={classes.toggle} aria-expanded={isOpen} onClick={() => choose(!isOpen)}>
          <IconChevronRight className={classes.chevron} size={12} aria-hidden />
          <Name name={step} /> {!isOpen && <span className={classes.brief}>{brief(value)}</span>}
        </button>
        <CopyPath steps={steps} />
      </span>
      {isOpen && <Members value={value} path={path} steps={steps} open={open} />}
    </li>
  )
}

function Name({ name }: { name: Step }) {
  if (typeof name === 'number') return <span className={classes.index}>{name}:</span>
  return (
    <span className={classes.name}>
      <Marked text={name} />:
    </span>
  )
}

/** A value without members; `path` is the key of its path. */
export function Leaf({ value, path }: { value: unknown; path: string }) {
  if (typeof value === 'string') return <Text text={value} path={path} />
  const kind = typeof value === 'number' || typeof value === 'bigint' ? classes.number : classes.word
  return (
    <span className={kind}>
      <Marked text={exactText(value)} />
      {mayBeRounded(value) && ' (may be rounded)'}
    </span>
  )
}

/** Whether other whole numbers have the same value, so that it may have been written with other digits. */
function mayBeRounded(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value as number) < 1e21
}

function Text({ text, path }: { text: string; path: string }) {
  const { open: found } = useTreeSearch()
  const [chosen, choose] = useState<boolean | null>(null)
  const image = useMemo(() => imageOf(text), [text])
  if (image !== null) return <Picture image={image} label="From the recording" />
  const folded = fold(text, 12, 1000)
  const open = chosen ?? found.has(path)
  return (
    <>
      <span className={classes.string}>
        <Marked text={open || folded === null ? text : `${folded.shown}…`} />
      </span>
      {folded !== null && (
        <button className={classes.more} aria-expanded={open} onClick={() => choose(!open)}>
          {open ? 'less' : `${restOf(folded)} more`}
        </button>
      )}
    </>
  )
}

/** A text in which what is searched for is marked. */
function Marked({ text }: { text: string }) {
  const { query } = useTreeSearch()
  if (query.trim() === '' || text.length > 200_000) return text
  return marked(text, query).map((piece, i) => (i % 2 === 0 ? piece : <mark key={i}>{piece}</mark>))
}

function sizeOf(value: Branch): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

/** What a closed branch holds, with its size if that is large. */
function brief(value: Branch): string {
  const [size, length] = [sizeOf(value), lengthOf(value)]
  const weight = length < 1000 ? '' : `, ${bytes(length)}`
  if (Array.isArray(value)) return `[${counted(size, 'item')}${weight}]`
  const names = Object.keys(value)
  return `{${names.slice(0, 4).join(', ').slice(0, 120)}${size > 4 ? ', …' : ''}}${weight}`
}

const lengths = new WeakMap<Branch, number>()

/** How long a branch is as text; 0 where it is nested too deeply to be written. */
function lengthOf(value: Branch): number {
  let length = lengths.get(value)
  if (length === undefined) {
    try {
      length = exactText(value).length
    } catch {
      length = 0
    }
    lengths.set(value, length)
  }
  return length
}
