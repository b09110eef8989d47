import { pathText, type Step } from '../../components/json/path'

/** What differs between two values of JSON at a path. */
export interface Change {
  kind: 'added' | 'removed' | 'changed'
  path: readonly Step[]
  /** Undefined for what was added. */
  before?: unknown
  /** Undefined for what was removed. */
  after?: unknown
}

/** How many differences are listed, and how deep values are compared: below, they differ as wholes. */
export const mostChanges = 500
const deepest = 100

/**
 * How one value of JSON differs from another, by paths. Of two lists the beginnings and ends that are equal are set
 * aside first: what is appended or taken from the front is one difference, and not one of every place.
 */
export function changesOf(before: unknown, after: unknown): Change[] {
  const changes: Change[] = []
  compare(before, after, [], changes)
  return changes
}

function compare(before: unknown, after: unknown, path: readonly Step[], changes: Change[]) {
  if (changes.length >= mostChanges || equal(before, after)) return
  const deep = path.length < deepest
  if (deep && Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, changes)
  else if (deep && isObject(before) && isObject(after)) {
    for (const name of Object.keys({ ...before, ...after })) {
      const at = [...path, name]
      if (!Object.hasOwn(before, name)) add(changes, { kind: 'added', path: at, after: after[name] })
      else if (!Object.hasOwn(after, name)) add(changes, { kind: 'removed', path: at, before: before[name] })
      else compare(before[name], after[name], at, changes)
    }
  } else add(changes, { kind: 'changed', path, before, after })
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: readonly Step[],
  changes: Change[],
) {
  let head = 0
  const shorter = Math.min(before.length, after.length)
  while (head < shorter && equal(before[head], after[head])) head++
  let tail = 0
  while (tail < shorter - head && equal(before[before.length - 1 - tail], after[after.length - 1 - tail]))
    tail++
  const [old, now] = [before.length - tail, after.length - tail]
  for (let i = head; i < Math.max(old, now); i++) {
    const at = [...path, i]
    if (i >= old) add(changes, { kind: 'added', path: at, after: after[i] })
    else if (i >= now) add(changes, { kind: 'removed', path: at, before: before[i] })
    else compare(before[i], after[i], at, changes)
  }
}

function add(changes: Change[], change: Change) {
  if (changes.length < mostChanges) changes.push(change)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether two values of JSON are equal, whatever the order of names. What is nested too deeply is not. */
function equal(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true
  if (depth > deepest) return false
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((member, i) => equal(member, b[i], depth + 1))
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name], depth + 1))
  )
}

/** A path of a difference for people. */
export function changePath({ path }: Change): string {
  return pathText(path)
}
