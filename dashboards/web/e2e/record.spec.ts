import { LiveRecording } from './recording'
import { expect, test } from './test'

test('commands name this server', async ({ page, baseURL }) => {
  await page.goto('/record')
  await expect(page).toHaveTitle('Record · tapedeck')
  await page.getByRole('tab', { name: 'Your code' }).click()
  await expect(page.getByLabel('the command to post lines', { exact: true })).toContainText(
    `'${baseURL ?? ''}/v1/ingest`,
  )
  await page.getByRole('tab', { name: 'Proxy' }).click()
  await expect(page.getByText('OPENAI_BASE_URL')).toBeVisible()
})

test('a dropped file is recorded and opened', async ({ page }) => {
  await page.goto('/record')
  await page.getByLabel('Session', { exact: true }).fill('dropped file')
  const transfer = await page.evaluateHandle(() => {
    const held = new DataTransfer()
    held.items.add(new File(['{"type":"a"}\n{"type":"b"}\nno json\n'], 'run.jsonl'))
    return held
  })
  await page.getByText('Drop files here').dispatchEvent('drop', { dataTransfer: transfer })
  await expect(page.getByText('3 frames recorded as generic')).toBeVisible()
  await page.getByRole('link', { name: 'Open dropped file' }).click()
  await expect(page).toHaveURL('/sessions/dropped%20file')
})

test('a file that was recorded already is recorded again only on request', async ({
  page,
  request,
  expectErrors,
}) => {
  expectErrors(/status of 409/)
  const text = `{"unique":${JSON.stringify(crypto.randomUUID())}}\n`
  const choose = () =>
    page
      .getByLabel('Files to record')
      .setInputFiles({ name: 'twice.jsonl', mimeType: 'application/x-ndjson', buffer: Buffer.from(text) })
  await page.goto('/record')
  await page.getByLabel('Session', { exact: true }).fill('recorded twice')
  await choose()
  await expect(page.getByRole('link', { name: 'Open recorded twice' })).toBeVisible()
  await expect
    .poll(async () => (await request.get('/v1/streams?session=recorded+twice')).text())
    .toContain('"end_reason":"eof"')
  await page.goto('/record')
  await page.getByLabel('Session', { exact: true }).fill('recorded elsewhere')
  await choose()
  await expect(page.getByText('These bytes are session recorded twice already')).toBeVisible()
  await page.getByRole('button', { name: 'Record again' }).click()
  await expect(page.getByText('1 frame recorded')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Open recorded elsewhere' })).toBeVisible()
})

test('a chosen tape is imported', async ({ page, request }) => {
  const tape = await (await request.get('/v1/sessions/demo/tape')).body()
  await page.goto('/record')
  await page.getByLabel('Files to record').setInputFiles({
    name: 'demo.tape',
    mimeType: 'application/octet-stream',
    buffer: tape,
  })
  await expect(page.getByRole('link', { name: 'Open demo' })).toBeVisible()
  await expect(page.getByText(/^\d+ frames recorded$/)).toBeVisible()
})

test('what is not recorded is reported', async ({ page, expectErrors }) => {
  expectErrors(/status of 400/)
  await page.goto('/record')
  await page.getByLabel('Files to record').setInputFiles({
    name: 'broken.tape',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from('this is no tape'),
  })
  await expect(page.getByText(/The body could not be imported/)).toBeVisible()
})

test('a stream that is being recorded shows, with its rate', async ({ page, baseURL }) => {
  const live = await LiveRecording.begin(baseURL ?? '', 'rate')
  await page.goto('/record')
  const stream = page.getByRole('listitem').filter({ hasText: 'rate' })
  await expect(stream).toContainText('1 frame')
  live.send(100)
  await expect(stream).toContainText('101 frames')
  await expect(stream).toContainText(/frames\/s/)
  await live.end()
  await expect(stream).toHaveCount(0)
})
