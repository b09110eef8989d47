/** Stands before the digits of a whole number that is written as a text. */
const mark = '\ue000integer:'
const marks = new RegExp(`"${mark}(-?\\d+)"`, 'g')
/** A number of JSON, or the begin of a text. */
const token = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * The value of a text of JSON. Whole numbers that the numbers of JavaScript cannot hold are BigInts. Throws a
 * SyntaxError for a text that is no JSON.
 */
export function exactValue(text: string): unknown {
  if (/\d{16}/.test(text) && !text.includes(mark))
    try {
      return JSON.parse(marked(text), (_, value: unknown) =>
        typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
      )
    } catch {
      // It is no JSON, or nested more deeply than the numbers in it can be looked for.
    }
  return JSON.parse(text)
}

/** A value that exactValue returned as a text of JSON, with the same digits. */
export function exactText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch {
    // It has BigInts, or is nested too deeply, which throws again.
    const texts = (_: string, member: unknown) => (typeof member === 'bigint' ? `${mark}${member}` : member)
    return JSON.stringify(value, texts, indent).replace(marks, '$1')
  }
}

/** A text of JSON in which large whole numbers are texts. */
function marked(text: string): string {
  const pieces: string[] = []
  let done = 0
  token.lastIndex = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match
    if (found === '"') token.lastIndex = endOfText(text, match.index)
    else if (/^-?\d{16,}$/.test(found) && !Number.isSafeInteger(Number(found))) {
      pieces.push(text.slice(done, match.index), `"${mark}${found}"`)
      done = token.lastIndex
    }
  }
  return pieces.join('') + text.slice(done)
}

/** Where a text of JSON that begins at a quotation mark ends. */
function endOfText(json: string, begin: number): number {
  for (let end = json.indexOf('"', begin + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0
    while (json[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end + 1
  }
  return json.length
}
