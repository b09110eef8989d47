import { AxeBuilder } from '@axe-core/playwright'
import { record } from './recording'
import { expect, test } from './test'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** A run of Claude Code that calls tools with commands. */
function run(session: string, calls: readonly [tool: string, command: string][]): unknown[] {
  const of = { session_id: session }
  return [
    { type: 'system', subtype: 'init', ...of, model: 'claude-sonnet-4-5', tools: [], uuid: session },
    ...calls.flatMap(([name, command], i) => {
      const id = `toolu_${session.replaceAll('-', '')}${i}`
      return [
        {
          type: 'assistant',
          ...of,
          message: {
            id: `msg_${session}${i}`,
            role: 'assistant',
            model: 'claude-sonnet-4-5',
            content: [{ type: 'tool_use', id, name, input: { command } }],
          },
        },
        {
          type: 'user',
          ...of,
          message: {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: id, content: `did ${command}` }],
          },
        },
      ]
    }),
    {
      type: 'result',
      subtype: 'success',
      ...of,
      is_error: false,
      result: 'Done.',
      duration_ms: 5,
      num_turns: 1,
    },
  ]
}

test('two sessions: chosen, compared, opened to what differs, and played on one clock', async ({
  page,
  request,
}) => {
  const same: [string, string][] = Array.from({ length: 6 }, (_, i) => ['Read', `file ${i}`])
  await record(request, 'compare-a', run('compare-a', [...same, ['Bash', 'make test'], ['Read', 'end']]), [
    'of:compare',
  ])
  await record(request, 'compare-b', run('compare-b', [...same, ['Bash', 'make all'], ['Read', 'end']]), [
    'of:compare',
  ])
  await page.goto('/sessions/compare-a')
  await page.getByRole('link', { name: 'Compare with' }).click()
  await page.getByRole('textbox', { name: 'Search the sessions' }).fill('compare-b')
  await page.getByRole('link', { name: 'compare-b' }).click()
  await expect(
    page.getByText(/^The same for \d+ steps; at \+.* both called Bash with different arguments\.$/),
  ).toBeVisible()
  await expect(page.getByRole('region', { name: 'First output that differs' })).toContainText('came first')
  await page.keyboard.press('n')
  const row = page.getByRole('button', { name: 'Arguments differ: Tool Bash' })
  await expect(row).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Arguments' })).toContainText('$.command')
  await page.getByRole('button', { name: 'Play both', exact: true }).click()
  await page.getByRole('button', { name: 'Play both from here' }).click()
  for (const side of ['A', 'B'])
    await expect(page.getByRole('group', { name: `Session ${side}` })).toContainText('file 0')
  await page.getByRole('button', { name: 'Swap' }).click()
  await expect(page).toHaveURL(/a=compare-b&b=compare-a/)

  await page.goto('/?tag=of%3Acompare')
  const compare = page.getByRole('link', { name: 'Compare', exact: true }).and(page.locator('main a'))
  await page.getByRole('row', { name: 'compare-b' }).getByRole('checkbox').check()
  await expect(compare).toHaveCount(0)
  await page.getByRole('row', { name: 'compare-a' }).getByRole('link').focus()
  await page.keyboard.press('x')
  await expect(page.getByRole('row', { name: 'compare-a' }).getByRole('checkbox')).toBeChecked()
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([])
  await compare.click()
  await expect(page).toHaveURL(/a=compare-a&b=compare-b/)
  await expect(page.getByText(/^The same for \d+ steps;/)).toBeVisible()
})
