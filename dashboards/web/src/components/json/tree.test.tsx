// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { RevealContext } from '../reveal'
import { JsonTree } from './tree'

const people = Array.from({ length: 300 }, (_, i) => ({
  name: `person ${i}`,
  notes: { text: 'x'.repeat(20) },
}))

function show(value: unknown, revealed = '') {
  render(
    <MantineProvider env="test">
      <RevealContext value={revealed}>
        <JsonTree value={value} label="Result" />
      </RevealContext>
    </MantineProvider>,
  )
  return userEvent.setup()
}

test('what is found is opened, marked and has its path, also far down a list', async () => {
  const user = show({ people })
  expect(screen.getByRole('button', { name: 'people: [300 items, 18.5 kB]' })).toBeTruthy()
  await user.click(screen.getByRole('textbox', { name: 'Search in result' }))
  await user.paste('PERSON 29') // each key pressed would render all rows
  expect(await screen.findByText('1 of 11')).toBeTruthy()
  expect(screen.getByText('$.people[29].name')).toBeTruthy()
  await user.keyboard('{Enter}')
  expect(screen.getByText('$.people[290].name')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Copy the path' })).toBeTruthy()
  expect(screen.getAllByText('person 29', { selector: 'mark' })).toHaveLength(11)
  await user.keyboard('{Escape}')
  expect(screen.queryByText('person 29', { selector: 'mark' })).toBeNull()
})

test('a search of the session opens what it found', () => {
  show({ people }, 'person 299')
  expect(screen.getByText('person 299', { selector: 'mark' })).toBeTruthy()
})

test('a small tree has no field, and what stands in it stays text', () => {
  show({ html: '<img src=x onerror=alert(1)>', deep: { deeper: { text: 'a\u202eb' } } })
  expect(screen.queryByRole('textbox')).toBeNull()
  expect(document.querySelector('img')).toBeNull()
  expect(screen.getByText('<img src=x onerror=alert(1)>')).toBeTruthy()
})

test('long texts are folded with their size', async () => {
  const user = show({ text: 'line of text\n'.repeat(500) })
  await user.click(screen.getByRole('button', { name: '489 lines, 6.34 kB more' }))
  expect(screen.getByRole('button', { name: 'less' })).toBeTruthy()
})

test('whole numbers of any size have their digits, and can be found by them', () => {
  show({ id: 1234567890123456789n, read: 9007199254740994 }, '0123456')
  expect(screen.getByText('0123456', { selector: 'mark' }).parentElement?.textContent).toBe(
    '1234567890123456789',
  )
  expect(screen.getByText('9007199254740994 (may be rounded)')).toBeTruthy()
})
