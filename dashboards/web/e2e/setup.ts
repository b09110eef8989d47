import { startServer } from './server'

/** One server for all tests, with the demo in it; ended when they are done. */
export default async function setup() {
  const server = await startServer(['--demo'])
  process.env['TAPEDECK_TEST_SERVER'] = server.url
  await demoToEnd(server.url)
  return () => server.stop()
}

/** The demo takes its time, and is stored a moment after its end. */
async function demoToEnd(url: string) {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    const answer = await fetch(`${url}/v1/sessions/demo`)
    if (answer.ok && ((await answer.json()) as { status: string }).status === 'ok') return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error('the demo did not come to its end')
}
