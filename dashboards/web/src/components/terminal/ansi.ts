/* eslint-disable no-control-regex -- control characters are what is looked for here */
/** A run of characters of one style. Colours are 0 to 15, or [red, green, blue]; undefined is the terminal's own. */
export interface Run extends Style {
  text: string
}

export type Colour = number | readonly [number, number, number]

interface Style {
  colour?: Colour
  ground?: Colour
  bold?: boolean
  dim?: boolean
  italic?: boolean
  underline?: boolean
  strike?: boolean
  inverse?: boolean
}

/** The most runs that a text is taken apart into; what follows is one of no style. */
const mostRuns = 3000

// Sequences as ECMA-48 has them: control sequences, strings to their end (OSC, DCS, SOS, PM, APC), and short ones. A
// string that has no end reaches no further than its line.
const sequence =
  /(?:\x1b\[|\x9b)([0-?]*)([ -/]*)([@-~]?)|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g

/**
 * Takes the output of a terminal apart by its colours and styles (SGR). All other sequences are left out: nothing
 * moves, and links are their text. A line that was written over with a carriage return is what it was last.
 */
export function runsOf(text: string): Run[] {
  const runs: Run[] = []
  let style: Style = {}
  let from = 0
  const add = (part: string) => {
    const clean = part.replace(controls, '')
    if (clean === '') return
    const last = runs.at(-1)
    if (last !== undefined && sameStyle(last, style)) last.text += clean
    else runs.push({ ...style, text: clean })
  }
  const lines = overwritten(text)
  for (const match of lines.matchAll(sequence)) {
    add(lines.slice(from, match.index))
    from = match.index + match[0].length
    if (runs.length >= mostRuns) {
      style = {}
      add(lines.slice(from).replace(sequence, ''))
      return runs
    }
    if (match[3] === 'm' && match[2] === '' && /^[\d;:]*$/.test(match[1] ?? ''))
      style = styled(style, match[1] ?? '')
  }
  add(lines.slice(from))
  return runs
}

/** A text without any sequence. */
export function withoutAnsi(text: string): string {
  return overwritten(text).replace(sequence, '').replace(controls, '')
}

/** Each line from its last carriage return on, with the sequences of styles before it. */
function overwritten(text: string): string {
  if (!text.includes('\r')) return text
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => {
      const at = line.replace(/\r+$/, '').lastIndexOf('\r')
      return at < 0 ? line : line.slice(at + 1)
    })
    .join('\n')
}

function styled(before: Style, parameters: string): Style {
  let style: Style = { ...before }
  const codes = parameters.slice(0, 200).split(/[;:]/).map(Number)
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0
    if (code === 0) style = {}
    else if (code === 1) style.bold = true
    else if (code === 2) style.dim = true
    else if (code === 3) style.italic = true
    else if (code === 4) style.underline = true
    else if (code === 7) style.inverse = true
    else if (code === 9) style.strike = true
    else if (code === 22) {
      delete style.bold
      delete style.dim
    } else if (code === 23) delete style.italic
    else if (code === 24) delete style.underline
    else if (code === 27) delete style.inverse
    else if (code === 29) delete style.strike
    else if (code >= 30 && code <= 37) style.colour = code - 30
    else if (code >= 90 && code <= 97) style.colour = code - 82
    else if (code >= 40 && code <= 47) style.ground = code - 40
    else if (code >= 100 && code <= 107) style.ground = code - 92
    else if (code === 39) delete style.colour
    else if (code === 49) delete style.ground
    else if (code === 38 || code === 48) {
      const [colour, used] = extended(codes.slice(i + 1, i + 5))
      i += used
      if (colour === null) continue
      if (code === 38) style.colour = colour
      else style.ground = colour
    }
  }
  return style
}

/** A colour of the 256, or one of red, green and blue; and how many parameters it takes. */
function extended([mode, ...rest]: readonly number[]): [Colour | null, number] {
  const byte = (n: number | undefined) => Math.min(Math.max(Math.trunc(n ?? 0), 0), 255)
  if (mode === 2) return [[byte(rest[0]), byte(rest[1]), byte(rest[2])], 4]
  if (mode !== 5) return [null, 1]
  const n = byte(rest[0])
  if (n < 16) return [n, 2]
  if (n >= 232) {
    const grey = 8 + (n - 232) * 10
    return [[grey, grey, grey], 2]
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40)
  return [[level(Math.floor((n - 16) / 36)), level(Math.floor((n - 16) / 6) % 6), level((n - 16) % 6)], 2]
}

const styles = ['bold', 'dim', 'italic', 'underline', 'strike', 'inverse'] as const

function sameStyle(a: Style, b: Style): boolean {
  return (
    String(a.colour) === String(b.colour) &&
    String(a.ground) === String(b.ground) &&
    styles.every((name) => a[name] === b[name])
  )
}
