import { record } from './recording'
import { expect, test } from './test'

test('the palette goes to pages, sessions and searches, and runs actions of the page', async ({
  page,
  request,
}) => {
  await record(request, 'palette-target', [{ type: 'a' }])
  await page.goto('/usage')
  await expect(page.getByRole('heading', { name: 'Usage', level: 1 })).toBeVisible()
  const field = page.getByRole('combobox', { name: 'Go to' })
  const first = page.getByRole('listbox', { name: 'Go to' }).getByRole('option').first()
  const open = async (text: string) => {
    await page.keyboard.press('Control+k')
    await expect(field).toBeFocused()
    await page.keyboard.type(text)
  }
  await open('model ca')
  await expect(first).toHaveText('Model callspage')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/calls/)

  await open('palette-tar')
  await page.getByRole('option', { name: 'palette-target' }).click()
  await expect(page).toHaveURL('/sessions/palette-target')
  await expect(field).toHaveCount(0)

  await open('replay')
  await expect(first).toHaveText('Replay into my UI…this page')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Replay into my UI' })
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)

  await open('purple heron')
  await page.getByRole('option', { name: 'Search all texts for “purple heron”' }).click()
  await expect(page).toHaveURL('/search?q=purple+heron')
  await open('')
  await page.keyboard.press('Escape')
  await expect(field).toHaveCount(0)
})
