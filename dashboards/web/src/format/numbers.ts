const whole = new Intl.NumberFormat('en')

/** A count in full: 12,345. */
export function count(n: number): string {
  return whole.format(n)
}

/** A count in at most four signs: 950, 12.3k, 4.56M, 1.2G. */
export function compact(n: number): string {
  if (n < 0) return `−${compact(-n)}`
  for (const [unit, name] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    // What would round to 1000 of the unit below is one of this.
    if (n >= unit * 0.9995) return `${digits(n / unit)}${name}`
  }
  return String(Math.round(n))
}

/** Bytes for people: 512 B, 12.3 kB, 4.56 MB. */
export function bytes(n: number): string {
  if (n < 999.5) return `${Math.round(n)} B`
  const text = compact(n)
  return `${text.slice(0, -1)} ${text.slice(-1)}B`
}

/** A share from 0 to 1: 0 %, 0.4 %, 12 %, 100 %. Only none is 0 %, and only all is 100 %. */
export function percent(share: number): string {
  if (share === 0 || share === 1) return `${share * 100} %`
  const hundredths = share * 100
  if (hundredths < 0.1) return '< 0.1 %'
  if (hundredths > 99.9) return '> 99.9 %'
  return `${hundredths < 9.95 || hundredths >= 99.5 ? hundredths.toFixed(1) : Math.round(hundredths)} %`
}

/** An amount of the API. */
export interface Amount {
  amount: string
  currency: string
}

/** An amount, rounded for people: $0.0042, $1.25, €1,250.00. One that would be rounded to nothing is < $0.0001. */
export function money({ amount: text, currency }: Amount): string {
  const amount = Number(text)
  const size = Math.abs(amount)
  if (size !== 0 && size < 0.00005) return `${amount < 0 ? '> −' : '< '}${shown(0.0001, currency, 4)}`
  return shown(amount, currency, size !== 0 && size < 1 ? 4 : 2)
}

function shown(amount: number, currency: string, places: number): string {
  return amount
    .toLocaleString('en', {
      style: 'currency',
      currency,
      minimumFractionDigits: places,
      maximumFractionDigits: places,
    })
    .replace('-', '−')
}

/** An amount that is rounded already, in all of its places: $0.07, $1,250.00. */
export function roundedMoney({ amount, currency }: Amount, places: number): string {
  return shown(Number(amount), currency, places)
}

/** An amount at the axis of a chart, in four digits: $1,250, $1.50, $0.25, $0.00001. */
export function axisMoney(amount: number, currency: string): string {
  return amount
    .toLocaleString('en', { style: 'currency', currency, maximumSignificantDigits: 4 })
    .replace(/\.\d$/, '$&0')
}

/** An amount in full, not rounded: 0.0042175 USD. */
export function exactMoney({ amount, currency }: Amount): string {
  return `${amount} ${currency}`
}

/** 1 call, 2 calls. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`
}

/** Three digits: 1.23, 12.3, 123. */
function digits(n: number): string {
  return n < 9.995 ? n.toFixed(2) : n < 99.95 ? n.toFixed(1) : n.toFixed(0)
}
