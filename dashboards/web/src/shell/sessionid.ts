/**
 * The session that a path names, null where none is. It is read from the path as the browser has it:
 * a router decodes that by its own rules, and an id may hold a "%" or a "/".
 */
export function sessionIdOf(path: string): string | null {
  const [, name] = /^\/sessions\/([^/]+)\/?$/.exec(path) ?? []
  if (name === undefined) return null
  try {
    return decodeURIComponent(name)
  } catch {
    return null // no text
  }
}
