import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const here = dirname(fileURLToPath(import.meta.url))
const mantine = join(here, '../node_modules/@mantine/core')

const files = (dir: string, end: string) =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(end))
    .map((file) => join(dir, file))

/** The files of Mantine that hold what our own code imports from it. */
function entries(): string[] {
  const names = new Set<string>()
  for (const file of [...files(here, '.tsx'), ...files(here, '.ts')])
    for (const [, list = ''] of readFileSync(file, 'utf8').matchAll(
      /import \{([^}]*)\} from '@mantine\/core'/g,
    ))
      for (const name of list.split(',')) names.add(name.trim())
  return files(join(mantine, 'esm/components'), '.mjs').filter((file) => names.has(basename(file, '.mjs')))
}

/** The names of the stylesheets that some modules and all that they import need. */
function stylesOf(modules: readonly string[]): Set<string> {
  const needed = new Set<string>()
  const seen = new Set<string>()
  const visit = (module: string) => {
    if (seen.has(module)) return
    seen.add(module)
    if (module.endsWith('.module.mjs')) needed.add(basename(module, '.module.mjs'))
    for (const [, path = ''] of readFileSync(module, 'utf8').matchAll(/from "(\.[^"]+)"/g))
      visit(join(dirname(module), path))
  }
  modules.forEach(visit)
  return needed
}

test('every component that is used has its styles, in the order of the whole stylesheet', () => {
  const needed = stylesOf(entries())
  expect(needed.has('Button')).toBe(true) // it finds what it looks for
  const imported = [...readFileSync(join(here, 'mantine.ts'), 'utf8').matchAll(/styles\/(\w+)\.css/g)].map(
    ([, name = '']) => name,
  )
  expect(new Set(imported.filter((name) => name !== 'baseline' && name !== 'global'))).toEqual(needed)

  const all = readFileSync(join(mantine, 'styles.css'), 'utf8')
  const places = [...needed].map((name) => {
    const file = join(mantine, 'styles', `${name}.css`)
    if (!existsSync(file)) throw new Error(`${name} has no styles of its own`)
    const [first = ''] = /\.m_[0-9a-f]+/.exec(readFileSync(file, 'utf8')) ?? []
    return { name, at: all.indexOf(first) }
  })
  const order = places.sort((a, b) => a.at - b.at).map(({ name }) => name)
  expect(imported.filter((name) => needed.has(name))).toEqual(order)
})
