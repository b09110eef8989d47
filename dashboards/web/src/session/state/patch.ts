/**
 * What a JSON patch (RFC 6902) makes of a value, which stays as it is. Undefined for what is no patch of the value:
 * then all of it fails, as the standard demands (section 5).
 */
export function patched(value: unknown, patch: unknown): unknown {
  if (value === undefined || !Array.isArray(patch)) return undefined
  let result: unknown = structuredClone(value)
  for (const operation of patch as unknown[]) {
    const next = apply(result, operation)
    if (next === undefined) return undefined
    result = next
  }
  return result
}

function apply(root: unknown, operation: unknown): unknown {
  if (typeof operation !== 'object' || operation === null) return undefined
  const { op, path, from, value } = operation as Record<string, unknown>
  const to = stepsOf(path)
  if (to === null) return undefined
  switch (op) {
    case 'add':
      return value === undefined ? undefined : add(root, to, value)
    case 'remove':
      return remove(root, to)
    case 'replace':
      if (value === undefined || valueAt(root, to) === undefined) return undefined
      return replace(root, to, value)
    case 'test':
      return JSON.stringify(valueAt(root, to)) === JSON.stringify(value) ? root : undefined
    case 'copy':
    case 'move': {
      const source = stepsOf(from)
      const found = source === null ? undefined : structuredClone(valueAt(root, source))
      if (source === null || found === undefined) return undefined
      const rest = op === 'move' ? remove(root, source) : root
      return rest === undefined ? undefined : add(rest, to, found)
    }
    default:
      return undefined
  }
}

/** The steps of a JSON pointer (RFC 6901). */
function stepsOf(pointer: unknown): string[] | null {
  if (typeof pointer !== 'string' || (pointer !== '' && !pointer.startsWith('/'))) return null
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

type Holder = unknown[] | Record<string, unknown>

function memberOf(holder: unknown, step: string): unknown {
  if (Array.isArray(holder))
    return /^(0|[1-9]\d*)$/.test(step) ? (holder as unknown[])[Number(step)] : undefined
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, step)) return undefined
  return (holder as Record<string, unknown>)[step]
}

function valueAt(root: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>(memberOf, root)
}

/** What holds the last of some steps; undefined if nothing does. */
function holderOf(root: unknown, steps: readonly string[]): Holder | undefined {
  const holder = valueAt(root, steps.slice(0, -1))
  return typeof holder === 'object' && holder !== null ? (holder as Holder) : undefined
}

function add(root: unknown, steps: readonly string[], value: unknown): unknown {
  const step = steps.at(-1)
  if (step === undefined) return value
  const holder = holderOf(root, steps)
  if (holder === undefined) return undefined
  if (!Array.isArray(holder)) define(holder, step, value)
  else {
    const at = step === '-' ? holder.length : /^(0|[1-9]\d*)$/.test(step) ? Number(step) : NaN
    if (!(at <= holder.length)) return undefined
    holder.splice(at, 0, value)
  }
  return root
}

function replace(root: unknown, steps: readonly string[], value: unknown): unknown {
  const step = steps.at(-1)
  if (step === undefined) return value
  const holder = holderOf(root, steps)
  if (Array.isArray(holder)) holder[Number(step)] = value
  else if (holder !== undefined) define(holder, step, value)
  return root
}

function remove(root: unknown, steps: readonly string[]): unknown {
  const step = steps.at(-1)
  const holder = holderOf(root, steps)
  if (step === undefined || holder === undefined || memberOf(holder, step) === undefined) return undefined
  if (Array.isArray(holder)) holder.splice(Number(step), 1)
  else Reflect.deleteProperty(holder, step)
  return root
}

/** Sets a member of its own, also one that is called as what every object has. */
function define(holder: Record<string, unknown>, name: string, value: unknown) {
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true })
}
