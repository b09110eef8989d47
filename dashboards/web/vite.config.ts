import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Where `npm run dev` finds a server: `tapedeck up` on its usual address, or TAPEDECK_SERVER. */
const server = process.env['TAPEDECK_SERVER'] ?? 'http://127.0.0.1:4600'

/** Lists the packages of which modules are in the bundle: what the licences have to come with. */
function packages(): Plugin {
  return {
    name: 'packages',
    generateBundle(_, bundle) {
      const paths = new Set<string>()
      for (const chunk of Object.values(bundle)) {
        for (const id of chunk.type === 'chunk' ? chunk.moduleIds : []) {
          const path = /(node_modules\/.*node_modules\/|node_modules\/)((?:@[^/]+\/)?[^/]+)\//.exec(id)
          const tool = /^\0(vite|rolldown)\//.exec(id) // what the build adds of its own
          if (path) paths.add(`${path[1]}${path[2]}`)
          else if (tool) paths.add(`node_modules/${tool[1]}`)
        }
      }
      this.emitFile({ type: 'asset', fileName: 'packages.json', source: JSON.stringify([...paths].sort(), null, 2) + '\n' })
    },
  }
}

export default defineConfig({
  plugins: [react(), packages()],
  build: {
    target: 'es2022',
    // An inlined asset would need data: in the content security policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
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
