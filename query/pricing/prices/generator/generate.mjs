// Writes the built-in price table of the package tapedeck/query/pricing/prices from the npm
// package @pydantic/genai-prices: the ids, match rules and prices of its data, without
// texts. Usage: npm ci && npm run generate
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { waitForUpdate } from '@pydantic/genai-prices'

const name = '@pydantic/genai-prices'
const [, , out] = process.argv
if (!out) {
  console.error('generate.mjs: name the file to write')
  process.exit(2)
}
const require = createRequire(import.meta.url)
const lock = JSON.parse(readFileSync(new URL('package-lock.json', import.meta.url), 'utf8'))
const { version, integrity } = lock.packages[`node_modules/${name}`]
const installed = JSON.parse(readFileSync(require.resolve(name).replace(/dist\/.*$/, 'package.json'), 'utf8'))
if (installed.version !== version) {
  console.error(`generate.mjs: ${name} ${installed.version} is installed, the lock file has ${version}; run npm ci`)
  process.exit(1)
}

const pick = (from, ...keys) => Object.fromEntries(keys.filter((k) => from[k] !== undefined).map((k) => [k, from[k]]))

// A constraint of the package also names its type, which follows from its fields.
const constraint = (c) => c && pick(c, 'start_date', 'start_time', 'end_time')
const period = (p) => ({ ...(p.constraint ? { constraint: constraint(p.constraint) } : {}), prices: tiersToPlain(p.prices) })
const tiersToPlain = (set) =>
  Object.fromEntries(Object.entries(set).map(([k, v]) => [k, typeof v === 'object' ? pick(v, 'base', 'tiers') : v]))

const data = await waitForUpdate()
const providers = data.map((p) => ({
  ...pick(p, 'id', 'name', 'model_match', 'provider_match', 'fallback_model_providers'),
  models: p.models.map((m) => ({
    ...pick(m, 'id', 'name', 'match', 'deprecated'),
    prices: Array.isArray(m.prices) ? m.prices.map(period) : tiersToPlain(m.prices),
  })),
}))

const source = {
  package: name,
  version,
  integrity,
  date: process.env.RELEASE_DATE ?? '',
  sha256: createHash('sha256').update(JSON.stringify(providers)).digest('hex'),
}
if (!/^\d{4}-\d{2}-\d{2}$/.test(source.date)) {
  console.error('generate.mjs: set RELEASE_DATE to the day of the release, YYYY-MM-DD (npm view @pydantic/genai-prices time)')
  process.exit(2)
}
// One line for each model, so that a new version of the table reads well as a difference.
const lines = providers.map((p) => {
  const { models, ...head } = p
  return JSON.stringify(head).slice(0, -1) + ',"models":[\n' + models.map((m) => JSON.stringify(m)).join(',\n') + '\n]}'
})
writeFileSync(out, `{"source":${JSON.stringify(source)},\n"providers":[\n${lines.join(',\n')}\n]}\n`)
