import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm run dev` finds a server: `tapedeck up` on its usual address, or TAPEDECK_SERVER. */
const server = process.env['TAPEDECK_SERVER'] ?? 'http://127.0.0.1:4600'

export default defineConfig({
  plugins: [react()],
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
