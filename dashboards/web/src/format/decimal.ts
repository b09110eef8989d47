/** A decimal number as a whole number of parts, of which 10^places are one. */
interface Parts {
  whole: bigint
  places: number
}

function read(text: string): Parts {
  const [, sign = '', before = '0', after = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  return { whole: BigInt(`${sign}${before}${after}`), places: after.length }
}

/** The sum of decimal numbers, exactly: amounts of money are texts, and are not to be rounded on the way. */
export function sumOf(numbers: Iterable<string>): string {
  let sum = 0n
  let places = 0
  for (const text of numbers) {
    const one = read(text)
    if (one.places > places) {
      sum *= 10n ** BigInt(one.places - places)
      places = one.places
    }
    sum += one.whole * 10n ** BigInt(places - one.places)
  }
  return write(sum, places)
}

function write(whole: bigint, places: number): string {
  const digits = (whole < 0n ? -whole : whole).toString().padStart(places + 1, '0')
  const after = digits.slice(digits.length - places).replace(/0+$/, '')
  const before = digits.slice(0, digits.length - places)
  return `${whole < 0n ? '-' : ''}${before}${places === 0 || after === '' ? '' : `.${after}`}`
}
