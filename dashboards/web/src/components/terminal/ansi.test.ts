import { expect, test } from 'vitest'
import { runsOf, withoutAnsi } from './ansi'

const esc = '\x1b'

test.each([
  ['plain', [{ text: 'plain' }]],
  [`${esc}[31mred${esc}[0m end`, [{ text: 'red', colour: 1 }, { text: ' end' }]],
  [`${esc}[1;4;92mx${esc}[22;24m`, [{ text: 'x', bold: true, underline: true, colour: 10 }]],
  [`${esc}[38;5;196mx`, [{ text: 'x', colour: [255, 0, 0] }]],
  [`${esc}[38;5;9mx`, [{ text: 'x', colour: 9 }]],
  [`${esc}[48;2;1;2;3mx`, [{ text: 'x', ground: [1, 2, 3] }]],
  [`${esc}[38;2;999;2mx`, [{ text: 'x', colour: [255, 2, 0] }]],
  [`${esc}[38;5;244mx${esc}[39my`, [{ text: 'x', colour: [128, 128, 128] }, { text: 'y' }]],
  [`${esc}[mx`, [{ text: 'x' }]],
  ['10 %\r50 %\r100 %\r\nnext', [{ text: '100 %\nnext' }]],
])('%j', (text, want) => expect(runsOf(text)).toEqual(want))

test.each([
  [`a${esc}[2J${esc}[10;10Hb${esc}[1Ac`, 'abc'],
  [`${esc}]8;;javascript:alert(1)${esc}\\click${esc}]8;;${esc}\\`, 'click'],
  [`${esc}]0;title\x07text`, 'text'],
  [`${esc}Pq#0;2;0;0;0${esc}\\text`, 'text'],
  [`${esc}[?25l${esc}(Btext${esc}[?25h`, 'text'],
  [`${esc}]8;;https://no.end\ntext`, '\ntext'],
  [`a\x07\x00\x08b`, 'ab'],
  [`text${esc}`, 'text'],
  [`text${esc}[31`, 'text'],
])('%j is the text %j without colours', (text, want) => {
  expect(withoutAnsi(text)).toBe(want)
  expect(
    runsOf(text)
      .map((run) => run.text)
      .join(''),
  ).toBe(want)
})

test('a million sequences make few runs and keep all of the text', () => {
  const text = Array.from({ length: 1_000_000 }, (_, i) => `${esc}[3${i % 8}mx`).join('')
  const runs = runsOf(text)
  expect(runs.length).toBeLessThan(3100)
  expect(runs.reduce((sum, run) => sum + run.text.length, 0)).toBe(1_000_000)
  expect(runsOf(`${esc}[${'1;'.repeat(1_000_000)}mx`)).toEqual([{ text: 'x' }]) // its last parameter is empty: a reset
})
