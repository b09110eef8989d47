import { brotliCompressSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import subsetFont from 'subset-font'
import { defineConfig, type Plugin } from 'vite'
import { packages } from './vite.packages.ts'

/** Where `npm run dev` finds a server: `tapedeck up` on its usual address, or TAPEDECK_SERVER. */
const server = process.env['TAPEDECK_SERVER'] ?? 'http://127.0.0.1:4600'

/** The most that the first page may load before it is drawn: scripts and styles, compressed, bytes. */
const firstLoad = 170_000

/** The characters of the Latin files of the typefaces, from and to. */
const latin = [
  [0x20, 0x7e],
  [0xa0, 0xff],
  [0x131, 0x131],
  [0x152, 0x153],
  [0x2bb, 0x2bc],
  [0x2c6, 0x2c6],
  [0x2da, 0x2dc],
  [0x2000, 0x206f],
  [0x20ac, 0x20ac],
  [0x2122, 0x2122],
  [0x2191, 0x2193],
  [0x2212, 0x2215],
] as const

/** Leaves of the Latin files of the typefaces, which every page loads, the weights from 400 to 700. */
function fonts(): Plugin {
  const text = latin
    .flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i)))
    .join('')
  return {
    name: 'fonts',
    async generateBundle(_, bundle) {
      for (const [name, file] of Object.entries(bundle))
        if (file.type === 'asset' && /-latin-wght-normal-.*\.woff2$/.test(name))
          file.source = await subsetFont(Buffer.from(file.source), text, {
            targetFormat: 'woff2',
            variationAxes: { wght: { min: 400, max: 700 } },
          })
    },
  }
}

/** Writes the compressed form of each file beside it, as the server sends it: FILE.br. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const [name, file] of Object.entries(bundle)) {
          if (!/\.(js|css|svg)$/.test(name)) continue
          const source = brotliCompressSync(file.type === 'chunk' ? file.code : file.source)
          this.emitFile({ type: 'asset', fileName: `${name}.br`, source })
        }
      },
    },
  }
}

/** Fails the build where the entry, with all that it imports at once and their styles, exceeds the first load. */
function budget(): Plugin {
  return {
    name: 'budget',
    generateBundle(_, bundle) {
      const names = new Set<string>()
      const visit = (name: string) => {
        const chunk = bundle[name]
        if (names.has(name) || chunk?.type !== 'chunk') return
        names.add(name)
        chunk.imports.forEach(visit)
        chunk.viteMetadata?.importedCss.forEach((style) => names.add(style))
      }
      for (const chunk of Object.values(bundle))
        if (chunk.type === 'chunk' && chunk.isEntry) visit(chunk.fileName)
      let size = 0
      for (const name of names) {
        const file = bundle[name]
        size += brotliCompressSync(file?.type === 'chunk' ? file.code : (file?.source ?? '')).length
      }
      this.info(`first load: ${(size / 1000).toFixed(1)} kB compressed, of ${firstLoad / 1000} kB`)
      if (size > firstLoad)
        this.error(
          `the first load is ${size} bytes compressed, above ${firstLoad}: import what the first page does not need lazily`,
        )
    },
  }
}

export default defineConfig({
  plugins: [react(), packages(), fonts(), budget(), compressed()],
  build: {
    target: 'es2022',
    // An inlined asset would need data: in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // The names of shared parts list the pages that share them.
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0] ?? name}-[hash].js`,
        codeSplitting: {
          groups: [
            // All that the first page needs, in one request.
            { name: 'first', tags: ['$initial'], priority: 1 },
            // What several of the other pages need, by the pages that need it; small parts join others.
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 30_000 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/emulate', '/api', '/healthz', '/readyz', '/metrics', '/openapi.yaml'].map((path) => [
        path,
        { target: server, ws: true },
      ]),
    ),
  },
})
