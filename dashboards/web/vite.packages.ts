import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/** The folders of the packages of which modules are in a bundle, in order: node_modules/NAME. */
function packagesOf(bundle: Rolldown.OutputBundle): string[] {
  const paths = new Set<string>()
  for (const chunk of Object.values(bundle)) {
    for (const id of chunk.type === 'chunk' ? chunk.moduleIds : chunk.originalFileNames) {
      const found = /(node_modules\/.*node_modules\/|node_modules\/)((?:@[^/]+\/)?[^/]+)\//.exec(id)
      const tool = /^\0(vite|rolldown)\//.exec(id) // what the build adds of its own
      if (found) paths.add(`${found[1]}${found[2]}`)
      else if (tool) paths.add(`node_modules/${tool[1]}`)
    }
  }
  return [...paths].sort()
}

/** Lists the packages of which modules are in the bundle: what the licences have to come with. */
export function packages(): Plugin {
  return {
    name: 'packages',
    generateBundle(_, bundle) {
      const source = JSON.stringify(packagesOf(bundle), null, 2) + '\n'
      this.emitFile({ type: 'asset', fileName: 'packages.json', source })
    },
  }
}

/** Writes the licences of the packages in the bundle to licences.txt, each text once. */
export function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle(_, bundle) {
      const users = new Map<string, string[]>()
      for (const found of packagesOf(bundle)) {
        const folder = path.join(import.meta.dirname, found)
        const { name, version, license } = JSON.parse(
          readFileSync(path.join(folder, 'package.json'), 'utf8'),
        ) as { name: string; version: string; license?: string }
        const files = readdirSync(folder).filter((file) =>
          /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(file),
        )
        const texts = files.map((file) =>
          readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim(),
        )
        if (texts.length === 0 && license !== undefined) texts.push(`License: ${license}`)
        if (texts.length === 0) this.error(`${found} states no licence`)
        for (const text of texts) users.set(text, [...(users.get(text) ?? []), `${name} ${version}`])
      }
      const source = [...users]
        .map(([text, parts]) => `${parts.join('\n')}\n\n${text}\n`)
        .join(`\n${'-'.repeat(80)}\n\n`)
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source })
    },
  }
}
