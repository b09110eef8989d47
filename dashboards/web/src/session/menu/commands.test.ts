import { expect, test } from 'vitest'
import { shellWord } from '../../format/shell'
import { command, curlCommand, exportCommand, playCommand, replayAddress } from './commands'

const local = 'http://127.0.0.1:4600'

test('a word is quoted where a shell would read it otherwise', () => {
  expect(shellWord('run-1.2')).toBe('run-1.2')
  expect(shellWord('a b')).toBe("'a b'")
  expect(shellWord("it's $(rm)")).toBe("'it'\\''s $(rm)'")
  expect(shellWord('')).toBe("''")
})

test('commands name the session and a server that is not the usual one', () => {
  expect(command('erase', local, 'demo')).toBe('tapedeck erase demo')
  expect(command('erase', 'https://deck.example', '-rf')).toBe(
    'tapedeck erase --server https://deck.example -- -rf',
  )
})

test('an export names its file after the session', () => {
  expect(exportCommand(local, 'demo', 'tape')).toBe('tapedeck export -o demo.tape demo')
  expect(exportCommand(local, '../a b', 'asciicast')).toBe(
    "tapedeck export --format asciicast -o a-b.cast '../a b'",
  )
})

test('a replay is from a moment, at a speed', () => {
  const wish = { speed: 'max', from: 12_345.6, follow: true }
  expect(replayAddress(local, 'a/b', wish)).toBe(
    `${local}/v1/sessions/a%2Fb/replay?speed=max&from=%2B12.346s&follow=1`,
  )
  expect(playCommand(local, 'a/b', wish)).toBe('tapedeck play --speed max --from +12.346s --follow a/b')
  const plain = { speed: '1', from: 0, follow: false }
  expect(playCommand(local, 'demo', plain)).toBe('tapedeck play demo')
  expect(curlCommand(replayAddress(local, 'demo', plain), false)).toBe(
    `curl -N '${local}/v1/sessions/demo/replay'`,
  )
})
