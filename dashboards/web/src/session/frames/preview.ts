import type { Schemas } from '../../api/client'

type Frame = Schemas['Frame']

/** Bounds of a preview: units, and values that are read of a frame. */
const length = 240
const values = 200

/**
 * What tells frames apart, in a line for each: the values in which a frame differs from the one of its type
 * before it, texts before numbers, and ids only where nothing else differs.
 */
export function previewsOf(frames: readonly Frame[]): string[] {
  const before = new Map<string, ReadonlyMap<string, unknown>>()
  return frames.map((frame) => {
    if (frame.text !== undefined) return frame.text.slice(0, length)
    if (frame.base64 !== undefined) return 'Bytes that are no text'
    const leaves = leavesOf(frame.frame)
    if (leaves === null) return JSON.stringify(frame.frame).slice(0, length)
    const last = before.get(frame.type)
    before.set(frame.type, leaves)
    return lineOf(leaves, last, frame.type)
  })
}

function lineOf(
  leaves: ReadonlyMap<string, unknown>,
  last: ReadonlyMap<string, unknown> | undefined,
  type: string,
): string {
  const told = [...leaves].filter(([path, value]) => value !== type && last?.get(path) !== value)
  const ranked = told.map((leaf) => ({ leaf, rank: rankOf(leaf) }))
  ranked.sort((a, b) => a.rank - b.rank)
  const first = ranked[0]?.rank ?? 3
  let line = ''
  for (const { leaf, rank } of ranked) {
    if (line.length >= length || (rank === 3 && first < 3)) break
    line += `${line === '' ? '' : '  '}${written(leaf)}`
  }
  if (line !== '') return line.slice(0, length)
  return last === undefined ? `{"type": "${type}"}` : 'the same as before'
}

/** Names whose texts are what a frame says. */
const words =
  /(^|\.)(text|content|delta|thinking|partial_json|arguments|output|result|error|message|name|command)$/
/** Names of what differs in every frame and says nothing. */
const marks = /(id|uuid|signature|fingerprint|timestamp|created|created_at|sequence_number|usage\.\w+)$/i

function rankOf([path, value]: [string, unknown]): number {
  if (marks.test(path)) return 3
  if (typeof value === 'string' && words.test(path)) return 0
  return typeof value === 'string' ? 1 : 2
}

function written([path, value]: [string, unknown]): string {
  const text = typeof value === 'string' ? value.slice(0, length).replace(/\s+/g, ' ') : JSON.stringify(value)
  return path === '' ? text : `${nameOf(path)}: ${text}`
}

/** The last name of a path, with the one before a number. */
function nameOf(path: string): string {
  const names = path.split('.')
  return names.slice(/^\d+$/.test(names.at(-1) ?? '') ? -2 : -1).join('.')
}

/** The values of a frame by their paths, the first of them; null for a frame that is one value. */
function leavesOf(frame: unknown): Map<string, unknown> | null {
  if (typeof frame !== 'object' || frame === null) return null
  const leaves = new Map<string, unknown>()
  const walk = (value: unknown, path: string, depth: number) => {
    if (leaves.size >= values || depth > 20) return
    if (typeof value !== 'object' || value === null) {
      if (value !== null && value !== '') leaves.set(path, value)
      return
    }
    for (const [name, member] of Object.entries(value))
      walk(member, path === '' ? name : `${path}.${name}`, depth + 1)
  }
  walk(frame, '', 0)
  return leaves
}
