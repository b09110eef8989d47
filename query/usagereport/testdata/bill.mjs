// Computes a month's bill by groups, without any code of tapedeck.
//
// Reads from the standard input a line with { zones, groupings } and then a line for each call:
// { at (ms), session, tags, provider, model, input, cache_read, cache_write_5m,
// cache_write_1h, output, reasoning }. Prints for each zone and grouping the tokens and the
// cost by day and group. Prices are read from the table that is the first argument: a model is
// the entry whose id is the model's name.
import { readFileSync } from 'node:fs'

const table = JSON.parse(readFileSync(process.argv[2], 'utf8'))
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
  if (constraint.start_date !== undefined) return at >= Date.parse(constraint.start_date + 'T00:00:00Z')
  const now = (at % 86_400_000) / 1000
  const [start, end] = [secondsOf(constraint.start_time), secondsOf(constraint.end_time)]
  return end < start ? now >= start || now < end : now >= start && now < end
}

function pricesOf(call) {
  const model = table.providers.find((p) => p.id === call.provider)?.models.find((m) => m.id === call.model)
  if (model === undefined) return undefined
  const list = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }]
  return (list.findLast((p) => holds(p.constraint, call.at)) ?? list[0]).prices
}

function costOf(call) {
  const prices = pricesOf(call)
  if (prices === undefined) return undefined
  const prompt = call.input + call.cache_read + call.cache_write_5m + call.cache_write_1h
  const price = (...keys) => {
    const key = keys.find((k) => prices[k] !== undefined)
    if (key === undefined) throw new Error(`${call.model} has no price for ${keys}`)
    const p = prices[key]
    if (typeof p === 'number') return fixed(p)
    let value = p.base
    for (const tier of [...p.tiers].sort((a, b) => a.start - b.start)) if (prompt > tier.start) value = tier.price
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
  return sum
}

function decimal(sum) {
  const text = sum.toString().padStart(scale + 7, '0')
  const at = text.length - scale - 6 // prices are for a million
  return `${text.slice(0, at)}.${text.slice(at)}`.replace(/\.?0+$/, '')
}

const [head, ...lines] = readFileSync(0, 'utf8').trim().split('\n')
const { zones, groupings } = JSON.parse(head)
const calls = lines.map((line) => JSON.parse(line))
const costs = calls.map(costOf)
const out = []
for (const zone of zones) {
  const days = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  const dayOf = calls.map((call) => days.format(call.at))
  for (const grouping of groupings) {
    const rows = new Map()
    calls.forEach((call, i) => {
      const values = grouping.map((by) => (by.startsWith('tag:') ? call.tags[by.slice(4)] : call[by]) ?? '')
      const key = [zone, grouping.join(','), dayOf[i], ...values].join('|')
      const row = rows.get(key) ?? { calls: 0, tokens: 0, cost: undefined, unpriced: 0 }
      rows.set(key, row)
      row.calls++
      row.tokens += call.input + call.cache_read + call.cache_write_5m + call.cache_write_1h + call.output + call.reasoning
      if (costs[i] === undefined) row.unpriced++
      else row.cost = (row.cost ?? 0n) + costs[i]
    })
    for (const [key, row] of rows)
      out.push(`${key}: ${row.calls} ${row.tokens} ${row.cost === undefined ? '' : decimal(row.cost)} ${row.unpriced}`)
  }
}
console.log(out.sort().join('\n'))
