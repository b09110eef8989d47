import { IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { count, counted } from '../format/numbers'
import { fold } from './fold'
import { imageIn, imageOf } from './images'
import classes from './jsontree.module.css'

/** Of how many members a list or an object shows at once. */
const page = 100

/** A JSON value as a tree. Its first levels are open; images that are written out in it are drawn. */
export function JsonTree({ value, label, open = 2 }: { value: unknown; label: string; open?: number }) {
  return (
    <div className={classes.tree} role="group" aria-label={label}>
      {isBranch(value) && !isEmpty(value) ? <Members value={value} open={open} /> : <Leaf value={value} />}
    </div>
  )
}

type Branch = unknown[] | Record<string, unknown>

function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null
}

function isEmpty(value: Branch): boolean {
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0
}

function Members({ value, open }: { value: Branch; open: number }) {
  const [shown, setShown] = useState(page)
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.slice(0, shown).map((member, i) => [i, member])
    : Object.entries(value).slice(0, shown)
  const total = Array.isArray(value) ? value.length : Object.keys(value).length
  const image = imageIn(value)
  return (
    <ul className={classes.members}>
      {image !== null && (
        <li>
          <Picture source={image} />
        </li>
      )}
      {members.map(([name, member]) => (
        <Member key={name} name={name} value={member} open={open - 1} />
      ))}
      {shown < total && (
        <li>
          <button className={classes.more} onClick={() => setShown(shown + page * 10)}>
            {count(total - shown)} more
          </button>
        </li>
      )}
    </ul>
  )
}

function Member({ name, value, open }: { name: string | number; value: unknown; open: number }) {
  const [isOpen, setOpen] = useState(open > 0 && (!isBranch(value) || sizeOf(value) <= 20))
  if (!isBranch(value) || isEmpty(value))
    return (
      <li className={classes.member}>
        <Name name={name} /> <Leaf value={value} />
      </li>
    )
  return (
    <li>
      <button className={classes.toggle} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <IconChevronRight className={classes.chevron} size={12} aria-hidden />
        <Name name={name} /> {!isOpen && <span className={classes.brief}>{brief(value)}</span>}
      </button>
      {isOpen && <Members value={value} open={open} />}
    </li>
  )
}

function Name({ name }: { name: string | number }) {
  return <span className={typeof name === 'number' ? classes.index : classes.name}>{name}:</span>
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === 'string') return <Text text={value} />
  const kind = typeof value === 'number' ? classes.number : classes.word
  return <span className={kind}>{JSON.stringify(value)}</span>
}

function Text({ text }: { text: string }) {
  const [open, setOpen] = useState(false)
  const image = imageOf(text)
  if (image !== null) return <Picture source={image} />
  const folded = fold(text, 12, 1000)
  return (
    <>
      <span className={classes.string}>{open || folded === null ? text : `${folded.shown}…`}</span>
      {folded !== null && (
        <button className={classes.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'less' : `${count(folded.units)} more characters`}
        </button>
      )}
    </>
  )
}

function Picture({ source }: { source: string }) {
  return <img className={classes.picture} src={source} alt="From the recording" loading="lazy" />
}

function sizeOf(value: Branch): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

function brief(value: Branch): string {
  const size = sizeOf(value)
  if (Array.isArray(value)) return `[${counted(size, 'item')}]`
  const names = Object.keys(value)
  return `{${names.slice(0, 4).join(', ')}${size > 4 ? ', …' : ''}}`
}
