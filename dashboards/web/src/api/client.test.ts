import { expect, test } from 'vitest'
import { answered, asksAgain, ProblemError, UnreachableError } from './client'

const answer = (status: number, more: { data?: unknown; error?: unknown } = {}) =>
  answered(Promise.resolve({ ...more, response: new Response(null, { status }) }))

test('an answer is its data', async () => {
  expect(await answer(200, { data: 'x' })).toBe('x')
})

test('a refusal is its problem', async () => {
  const problem = { title: 'No', status: 404, detail: 'There is none.' }
  await expect(answer(404, { error: problem })).rejects.toEqual(new ProblemError(problem))
  await expect(answer(503, { error: { ...problem, status: 503 } })).rejects.toBeInstanceOf(ProblemError)
  await expect(answer(500, { error: '<html>' })).rejects.toMatchObject({ problem: { status: 500 } })
})

test('no answer, or that of a proxy without a server, is a server away', async () => {
  await expect(answered(Promise.reject(new TypeError('Failed to fetch')))).rejects.toBeInstanceOf(
    UnreachableError,
  )
  for (const status of [502, 503, 504])
    await expect(answer(status, { error: '<html>' })).rejects.toBeInstanceOf(UnreachableError)
  await expect(answer(200)).rejects.toBeInstanceOf(UnreachableError)
  const starting = new Response(null, { status: 503, headers: { 'Tapedeck-Starting': '1' } })
  await expect(
    answered(
      Promise.resolve({ error: { title: 'The server is starting', status: 503 }, response: starting }),
    ),
  ).rejects.toBeInstanceOf(UnreachableError)
  await expect(answered(Promise.reject(new SyntaxError('no JSON')))).rejects.toBeInstanceOf(SyntaxError)
})

test('a server that is away is asked until it is back, one that fails twice more, one that refuses not', () => {
  const problem = (status: number) => new ProblemError({ title: '', status })
  expect(asksAgain(1000, new UnreachableError())).toBe(true)
  expect([0, 1, 2].map((failures) => asksAgain(failures, problem(500)))).toEqual([true, true, false])
  for (const busy of [429, 503])
    expect([4, 5].map((failures) => asksAgain(failures, problem(busy)))).toEqual([true, false])
  expect(asksAgain(0, problem(404))).toBe(false)
})
