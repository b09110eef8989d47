/** 90, 1.5s, 1m 30s or 2h as Go writes it; null for what is no length of time. A bare number is seconds. */
export function goDuration(text: string): string | null {
  const plain = text.replaceAll(/\s+/g, '').toLowerCase()
  if (/^\d+(\.\d+)?$/.test(plain)) return `${plain}s`
  return /^(\d+(\.\d+)?(h|m|s|ms))+$/.test(plain) ? plain : null
}

/** 5000, 12.5k or 1M as a whole number; null for what is none. */
export function tokenCount(text: string): string | null {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kKmM]?)$/.exec(ungrouped(text.trim())) ?? []
  if (digits === undefined) return null
  const n = Math.round(Number(digits) * (unit === '' ? 1 : unit.toLowerCase() === 'k' ? 1e3 : 1e6))
  return n < 1e15 ? String(n) : null
}

/** 0.05, $1,250 or 3 as a decimal number of at most 18 places; null for what is none. */
export function costAmount(text: string): string | null {
  const plain = ungrouped(text.trim().replace(/^\p{Sc}\s*/u, ''))
  const [, whole = '', places = ''] = /^(\d{0,15})(?:\.(\d{1,18}))?$/.exec(plain) ?? []
  if (whole === '' && places === '') return null
  return `${whole === '' ? '0' : whole}${places === '' ? '' : `.${places}`}`
}

/** A number without the commas between its thousands. Other commas stay: they may be meant as the decimal point. */
function ungrouped(text: string): string {
  return text.replace(/^\d{1,3}(,\d{3})+(?![\d,])/, (whole) => whole.replaceAll(',', ''))
}

/** A range in a few words: ≥ 1m, ≤ 5m, 1m – 5m; "" without ends. */
export function rangeText(least: string, most: string): string {
  if (least !== '' && most !== '') return `${least} – ${most}`
  if (least !== '') return `≥ ${least}`
  return most === '' ? '' : `≤ ${most}`
}
