/** The beginning of a long text, and what of it is left out. */
export interface Folded {
  shown: string
  /** Lines and UTF-16 units after what is shown. */
  lines: number
  units: number
}

/**
 * Cuts a text after some lines or some length, whichever comes first. Null where it is not much longer
 * than that, so that nobody opens a fold for two words.
 */
export function fold(text: string, lines: number, units: number): Folded | null {
  let end = -1
  for (let i = 0; i < lines; i++) {
    const next = text.indexOf('\n', end + 1)
    if (next < 0) {
      end = text.length
      break
    }
    end = next
  }
  end = Math.min(end, units)
  // Not between the halves of a character.
  if (end > 0 && isHigh(text.charCodeAt(end - 1))) end--
  const rest = text.slice(end)
  const more = count(rest, '\n')
  if (rest.trim() === '' || (more <= 2 && rest.length <= units / 4)) return null
  return { shown: text.slice(0, end), lines: more, units: rest.length }
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function count(text: string, character: string): number {
  let n = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) n++
  return n
}
