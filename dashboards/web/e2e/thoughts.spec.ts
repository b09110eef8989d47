import { AxeBuilder } from '@axe-core/playwright'
import { record } from './recording'
import { expect, test } from './test'

const session = `thoughts-${Date.now()}`
const hostile = '<img src=x onerror="document.title=\'ran\'"><script>document.title="ran"</script>'

const graph = {
  nodes: [{ id: 'gather', description: hostile }, { id: 'weigh' }, { id: 'merge' }],
  edges: [
    ['gather', 'merge'],
    ['weigh', 'merge'],
  ],
}

test.beforeAll(async ({ request }) => {
  let id = 0
  const event = (type: string, fields: object) => ({ session_id: 's', event_id: ++id, type, ...fields })
  await record(request, session, [
    event('run_start', { run_id: 'r', agent: 'tot' }),
    event('tot_expand', { candidates: ['ask the user', hostile] }),
    event('tot_evaluate', { chosen: 0, scores: [0.75, 0.25] }),
    event('tot_backtrack', { reason: 'no answer', to_depth: 0 }),
    event('tot_expand', { candidates: ['read the file', 'guess'] }),
    event('got_plan', { node_count: 3, edge_count: 2, node_ids: ['gather', 'weigh', 'merge'] }),
    event('values', { state: { task_graph: graph } }),
    event('got_node_start', { id: 'gather' }),
    event('got_node_complete', { id: 'gather', result_summary: '3 sources' }),
    event('got_node_start', { id: 'weigh' }),
    event('got_node_failed', { id: 'weigh', error: 'no luck' }),
    { session_id: 's', event_id: ++id, reply: 'done' },
  ])
})

test('thoughts are drawn as they are stated, by keyboard too, and lead to their moments', async ({
  page,
}) => {
  await page.goto(`/sessions/${session}?tab=thoughts`)
  const tree = page.getByRole('region', { name: 'Tree of thoughts' })
  await expect(tree.getByRole('button', { name: /^Candidate/ })).toHaveCount(4)
  await expect(
    tree.getByRole('button', { name: /chosen, 0.75; after Expansion 1; ask the user/ }),
  ).toBeVisible()
  await expect(tree).toContainText('does not state which thought an expansion goes on from')
  const nodes = page.getByRole('region', { name: 'Graph of thoughts' })
  await expect(nodes.getByRole('button', { name: /^merge; planned; after gather, weigh/ })).toBeVisible()
  const failed = nodes.getByRole('button', { name: /^weigh; failed; no luck/ })
  await failed.focus()
  await page.keyboard.press('Enter')
  await expect(failed).toHaveAttribute('aria-pressed', 'true')
  await expect(nodes.getByRole('region', { name: 'The chosen thought' })).toContainText('no luck')
  await expect(page).toHaveURL(/[?&]t=/)
  await tree.getByRole('button', { name: /Candidate 2; not chosen, 0.25/ }).click()
  await expect(tree.getByRole('region', { name: 'The chosen thought' })).toContainText(hostile)
  expect(await page.title()).not.toBe('ran')
})

for (const scheme of ['light', 'dark'] as const)
  for (const width of [1280, 390])
    for (const tab of ['state', 'thoughts', 'totals'])
      test(
        `axe finds nothing serious in the view ${tab}, ${scheme}, ${width} wide`,
        { tag: '@long' },
        async ({ page }) => {
          await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
          await page.setViewportSize({ width, height: 844 })
          await page.goto(`/sessions/${session}?tab=${tab}`)
          const ready =
            { state: 'What changed when', thoughts: 'Tree of thoughts', totals: 'Streams' }[tab] ?? ''
          await expect(page.getByLabel(ready, { exact: true })).toBeVisible()
          const { violations } = await new AxeBuilder({ page }).analyze()
          expect(
            violations
              .filter(({ impact }) => impact === 'serious' || impact === 'critical')
              .map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))]),
          ).toEqual([])
          // Only a part of the page scrolls sideways.
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
        },
      )
