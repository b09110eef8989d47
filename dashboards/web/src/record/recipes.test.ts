import { expect, test } from 'vitest'
import { recipes } from './recipes'

const texts = (origin: string) => recipes(origin).flatMap(({ commands }) => commands.map(({ text }) => text))

test('every command says which server it is', () => {
  for (const text of texts('https://deck.example.com')) expect(text).toContain('//deck.example.com')
  expect(texts('https://deck.example.com').at(-1)).toBe('wss://deck.example.com/v1/ingest/ws?session=my-run')
})

test('the history of coding agents is recorded from the server that is named', () => {
  expect(texts('https://deck.example.com')[0]).toBe('tapedeck sync --server https://deck.example.com')
})

test('the usual server need not be named', () => {
  expect(texts('http://127.0.0.1:4600').filter((text) => text.includes('--server'))).toEqual([])
})
