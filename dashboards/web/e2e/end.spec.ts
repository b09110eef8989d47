import { spawnSync } from 'node:child_process'
import type { Page } from '@playwright/test'
import { ended } from './recording'
import { program } from './server'
import { expect, test } from './test'

const banner = (page: Page) => page.locator('header').filter({ has: page.getByRole('heading', { level: 1 }) })

test('the header says what ended a recorded command, and in which call', async ({ page, baseURL }, info) => {
  const session = `crash-${info.repeatEachIndex}-${info.retry}-${Date.now()}`
  const lines = [
    { type: 'RUN_STARTED', threadId: 'own', runId: 'r1' },
    { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'psql' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"file":"0042.sql"}' },
    { type: 'TOOL_CALL_END', toolCallId: 'c1' },
  ].map((line) => `echo '${JSON.stringify(line)}'`)
  spawnSync(
    program,
    [
      'record',
      '--server',
      baseURL ?? '',
      '--session',
      session,
      '--',
      'sh',
      '-c',
      `${lines.join('; ')}; sleep 0.3; exit 137`,
    ],
    { stdio: 'ignore' },
  )
  await expect.poll(() => ended(page.request, session)).toBe(true)
  await page.goto(`/sessions/${session}`)
  await expect(banner(page)).toContainText(/Ended at [\d.]+ m?s: .*exit.*137.*, in psql/)
  await page.getByRole('button', { name: 'psql' }).first().click()
  const detail = page.getByRole('complementary', { name: 'Tool call psql' })
  await expect(detail).toContainText('Never ended')
  await expect(detail.getByRole('region', { name: 'Arguments' })).toContainText('0042.sql')
})

test('played after its last frame, a session goes to its end', async ({ page, baseURL }, info) => {
  const session = `silent-end-${info.repeatEachIndex}-${info.retry}-${Date.now()}`
  const command = `echo '${JSON.stringify({ type: 'RUN_STARTED', threadId: 'own', runId: 'r1' })}'; sleep 2`
  spawnSync(program, ['record', '--server', baseURL ?? '', '--session', session, '--', 'sh', '-c', command], {
    stdio: 'ignore',
  })
  await expect.poll(() => ended(page.request, session)).toBe(true)
  await page.goto(`/sessions/${session}`)
  const moment = page.getByTestId('moment')
  const end = Number(await moment.getAttribute('data-ms'))
  // The command slept for two seconds after its only frame, which may arrive late.
  expect(end).toBeGreaterThan(1000)
  await page.goto(`/sessions/${session}?t=0.5`)
  await expect(moment).toHaveAttribute('data-ms', '500')
  await page.keyboard.press('.')
  const player = page.getByRole('region', { name: 'Player' })
  await player.getByRole('button', { name: 'Play' }).click()
  await expect(moment).toHaveAttribute('data-ms', String(end))
  await expect(player.getByRole('button', { name: 'Play' })).toBeVisible()
  await expect(page).not.toHaveURL(/t=/)
})

test('a session that ended as it should has no such line', async ({ page }) => {
  await page.goto('/sessions/demo')
  await expect(banner(page)).toContainText('OK')
  await expect(banner(page)).not.toContainText('Ended at')
})
