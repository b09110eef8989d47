import { expect, test } from 'vitest'
import { sessionIdOf } from './sessionid'

test.each(['demo', '100%', 'a/b c%20d', '日本語 🎛', 'q?x=1&y#h', '%zz'])(
  '%s comes back from its address',
  (id) => expect(sessionIdOf(`/sessions/${encodeURIComponent(id)}`)).toBe(id),
)

test.each(['/', '/sessions/', '/sessions/a/b', '/sessions/%zz', '/sessions/%ff', '/usage'])(
  '%s names no session',
  (path) => expect(sessionIdOf(path)).toBeNull(),
)
