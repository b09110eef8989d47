import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { licences } from './vite.packages.ts'

const of = (file: string) => path.join(import.meta.dirname, 'src', file)

/** Modules of the page, and those that take their places in a file. */
const others = new Map(
  Object.entries({
    'session/player/connect.ts': 'file/connect.ts',
    'session/lastgood.tsx': 'file/absent.ts',
    'session/menu/menu.tsx': 'file/absent.ts',
    'session/share/button.tsx': 'file/absent.ts',
    'session/urlsearch.ts': 'file/urlsearch.ts',
  }).map(([page, file]) => [of(page), of(file)]),
)

/** Puts a player in the page in the place of the connection to a server, and leaves out what only servers do. */
function inFile(): Plugin {
  return {
    name: 'in-file',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      if (!source.startsWith('.')) return null
      const found = await this.resolve(source, importer, { ...options, skipSelf: true })
      return found === null ? null : (others.get(found.id) ?? found)
    },
  }
}

/** The page of one session as one script and one style, for files that hold a recording. */
export default defineConfig({
  plugins: [react(), inFile(), licences()],
  publicDir: false,
  build: {
    target: 'es2022',
    outDir: 'dist/file',
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 1500, // one script by design, in kB
    rolldownOptions: {
      input: 'src/file/main.tsx',
      // A script in the page has none.
      transform: { define: { 'import.meta': '{}' } },
      output: {
        format: 'iife',
        entryFileNames: 'player.js',
        assetFileNames: 'player[extname]',
        codeSplitting: false,
      },
    },
  },
})
