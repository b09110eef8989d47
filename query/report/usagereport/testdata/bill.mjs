// Computes reports of a month's usage, without any code of tapedeck.
//
// Reads from the standard input a line with the reports, [{ zone, granularity, group_by }],
// and then a line for each call: { at (ms), groups, stated, input, cache_read, cache_write_5m,
// cache_write_1h, output, reasoning }. Prints the rows and the totals of each report, of what
// lies in August 2026 in its zone. Prices are read from the table that is the first argument:
// a model is the entry whose id is the model's name. The tier flex is half the price at OpenAI
// and Google, and has no price elsewhere.
import { readFileSync } from 'node:fs'

const table = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const models = new Map(table.providers.flatMap((p) => p.models.map((m) => [`${p.id} ${m.id}`, m])))
const scale = 18 // decimals of a price for a million

function fixed(number) {
  const text = number.toString()
  if (/e/i.test(text)) throw new Error(`price ${text}`)
  const [whole, part = ''] = text.split('.')
  return BigInt(whole + part.padEnd(scale, '0'))
}

const secondsOf = (time) => time.slice(0, 8).split(':').reduce((sum, n) => sum * 60 + Number(n), 0)

function holds(constraint, at) {
  if (constraint === undefined) return true
  if (constraint.start_date !== undefined && at < Date.parse(constraint.start_date + 'T00:00:00Z')) return false
  const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][new Date(at).getUTCDay()]
  if (constraint.weekdays !== undefined && !constraint.weekdays.includes(day)) return false
  if (constraint.start_time === undefined) return true
  const now = (at % 86_400_000) / 1000
  const [start, end] = [secondsOf(constraint.start_time), secondsOf(constraint.end_time)]
  return end < start ? now >= start || now < end : now >= start && now < end
}

// dated returns the prices with what docs/billing.md says of the published table: prices by time of
// day hold from the date before them in the list, and DeepSeek's peaks from Monday to Friday.
function dated(provider, name, list) {
  let date
  return list.map((p) => {
    date = p.constraint?.start_date ?? date
    if (p.constraint?.start_time === undefined) return p
    const weekdays = provider === 'deepseek' && name.startsWith('deepseek-v4-') ? ['mon', 'tue', 'wed', 'thu', 'fri'] : undefined
    return { ...p, constraint: { ...p.constraint, start_date: date, weekdays } }
  })
}

function pricesOf(call) {
  const { provider, model: name } = call.groups
  const model = models.get(`${provider} ${name}`)
  if (model === undefined) return undefined
  const list = dated(provider, name, Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }])
  return (list.findLast((p) => holds(p.constraint, call.at)) ?? list[0]).prices
}

function costOf(call) {
  const prices = pricesOf(call)
  if (prices === undefined) return undefined
  const prompt = call.input + call.cache_read + call.cache_write_5m + call.cache_write_1h
  const price = (...keys) => {
    const key = keys.find((k) => prices[k] !== undefined)
    if (key === undefined) throw new Error(`${call.groups.model} has no price for ${keys}`)
    const p = prices[key]
    if (typeof p === 'number') return fixed(p)
    let value = p.base
    for (const tier of [...p.tiers].sort((a, b) => a.start - b.start)) if (prompt > (tier.start === 271_999 ? 272_000 : tier.start)) value = tier.price
    return fixed(value)
  }
  let sum = 0n
  const add = (n, ...keys) => {
    if (n > 0) sum += BigInt(n) * price(...keys)
  }
  add(call.input, 'input_mtok')
  add(call.cache_read, 'cache_read_mtok', 'input_mtok')
  add(call.cache_write_5m, 'cache_write_5m_mtok', 'cache_write_mtok', 'input_mtok')
  add(call.cache_write_1h, 'cache_write_1h_mtok', 'cache_write_mtok', 'input_mtok')
  add(call.output, 'output_mtok')
  add(call.reasoning, 'output_reasoning_mtok', 'output_mtok')
  if (call.groups.service_tier !== 'flex') return sum
  if (!['openai', 'google'].includes(call.groups.provider)) return undefined
  if (sum % 2n !== 0n) throw new Error('half of a price has more decimals')
  return sum / 2n
}

// decimal writes a number of units of 10^-places.
function decimal(sum, places) {
  const text = sum.toString().padStart(places + 1, '0')
  const at = text.length - places
  return `${text.slice(0, at)}.${text.slice(at)}`.replace(/\.?0+$/, '')
}

const two = (n) => String(n).padStart(2, '0')

// clockOf returns a function that names periods in a zone. It computes each quarter of an
// hour once: all offsets are whole quarters.
function clockOf(zone, granularity) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric',
  })
  const known = new Map()
  return (at) => {
    const quarter = Math.floor(at / 900_000)
    if (!known.has(quarter)) {
      const of = Object.fromEntries(format.formatToParts(quarter * 900_000).map((p) => [p.type, Number(p.value)]))
      const inside = of.year === 2026 && of.month === 8
      known.set(quarter, inside ? nameOf(of, quarter * 900_000, granularity) : undefined)
    }
    return known.get(quarter)
  }
}

function nameOf(of, at, granularity) {
  const date = `${of.year}-${two(of.month)}-${two(of.day)}`
  const offset = (Date.UTC(of.year, of.month - 1, of.day, of.hour, of.minute) - at) / 60_000
  const size = Math.abs(offset)
  const zone = offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
  switch (granularity) {
    case '15m':
      return `${date}T${two(of.hour)}:${two(of.minute)}:00${zone}`
    case 'hour':
      return `${date}T${two(of.hour)}:00:00${zone}`
    case 'day':
      return date
    case 'month':
      return date.slice(0, 7)
    case 'total':
      return ''
  }
  // The ISO week is that of its Thursday: day of the week 1 is Monday.
  const day = Date.UTC(of.year, of.month - 1, of.day)
  const thursday = new Date(day + (4 - (new Date(day).getUTCDay() || 7)) * 86_400_000)
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1)
  return `${thursday.getUTCFullYear()}-W${two(1 + Math.floor((thursday - first) / (7 * 86_400_000)))}`
}

const buckets = ['input', 'cache_read', 'cache_write_5m', 'cache_write_1h', 'output', 'reasoning']
const statedScale = 12 // decimals of a stated cost

class Figures {
  calls = 0
  tokens = [0, 0, 0, 0, 0, 0]
  unpriced = 0
  cost
  stated = 0n
  stating = 0

  add(call) {
    this.calls++
    buckets.forEach((name, i) => (this.tokens[i] += call[name]))
    if (call.cost === undefined) this.unpriced++
    else this.cost = (this.cost ?? 0n) + call.cost
    if (call.stated === '') return
    const [whole, part] = call.stated.split('.')
    this.stated += BigInt(whole + part.padEnd(statedScale, '0'))
    this.stating++
  }

  toString() {
    const cost = this.cost === undefined ? '' : decimal(this.cost, scale + 6) // prices are for a million
    const stated = this.stating === 0 ? '' : ` ${decimal(this.stated, statedScale)} of ${this.stating}`
    return `${this.calls} calls, ${this.tokens.join(' ')} tokens, cost ${cost} without ${this.unpriced}, stated${stated}`
  }
}

const [head, ...lines] = readFileSync(0, 'utf8').trim().split('\n')
const calls = lines.map((line) => JSON.parse(line))
for (const call of calls) call.cost = costOf(call)
for (const { zone, granularity, group_by } of JSON.parse(head)) {
  const name = `${zone}|${granularity}|${group_by.join(',')}|`
  const periodOf = clockOf(zone, granularity)
  const rows = new Map()
  const totals = new Figures()
  for (const call of calls) {
    const period = periodOf(call.at)
    if (period === undefined) continue
    const key = [period, ...group_by.map((by) => call.groups[by] ?? '')].join('|')
    let row = rows.get(key)
    if (row === undefined) rows.set(key, (row = new Figures()))
    row.add(call)
    totals.add(call)
  }
  const out = [`${name}totals: ${totals}`]
  for (const [key, row] of rows) out.push(`${name}${key}: ${row}`)
  process.stdout.write(out.join('\n') + '\n')
}
