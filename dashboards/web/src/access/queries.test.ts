import { expect, test } from 'vitest'
import { stateOf, tenantsOf, type Token } from './queries'

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

test('tenants are those of tokens, with the last use', () => {
  const tokens = [
    token({ tenant: 'b', last_used: '2026-05-01T00:00:00Z' }),
    token({ tenant: '*', scopes: ['admin'] }),
    token({ tenant: 'b', last_used: '2026-05-02T00:00:00Z', revoked_at: '2026-05-03T00:00:00Z' }),
    token({ tenant: 'a' }),
  ]
  expect(tenantsOf(tokens, now)).toEqual([
    { name: 'a', valid: 1, lastUsed: null },
    { name: 'b', valid: 1, lastUsed: '2026-05-02T00:00:00Z' },
  ])
})
