import { expect, test } from 'vitest'
import { settingsOf, stateOf, type Token } from './queries'

const token = (part: Partial<Token>): Token => ({
  ...{
    id: 'i',
    name: 'n',
    tenant: 'a',
    scopes: ['read'],
    created_at: '2026-01-01T00:00:00Z',
    created_by: '',
  },
  ...{ expires_at: null, revoked_at: null, last_used: null },
  ...part,
})
const now = Date.parse('2026-06-01T00:00:00Z')

test('a token is valid until it expires or is revoked', () => {
  expect(stateOf(token({}), now)).toBe('valid')
  expect(stateOf(token({ expires_at: '2026-06-01T00:00:00Z' }), now)).toBe('expired')
  expect(stateOf(token({ expires_at: '2026-06-01T00:00:01Z' }), now)).toBe('valid')
  expect(
    stateOf(token({ expires_at: '2026-01-01T00:00:00Z', revoked_at: '2026-01-01T00:00:00Z' }), now),
  ).toBe('revoked')
})

test('a tenant has settings', () => {
  const none = { name: 'a', last_frame: null, tokens: 0, last_used: null }
  expect(settingsOf({ ...none, retention: false, bills: false, prices: false })).toBe('')
  expect(settingsOf({ ...none, retention: true, bills: false, prices: true })).toBe('retention, prices')
})
