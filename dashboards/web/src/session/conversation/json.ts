import { exactValue } from '../../components/json/exact'

/** Texts above this are shown as they are, units. */
const most = 2_000_000

/** The value of a text that is a JSON object or list, as exactValue has it; undefined for any other. */
export function parsed(text: string): unknown {
  const first = text.trimStart()[0]
  if ((first !== '{' && first !== '[') || text.length > most) return undefined
  try {
    return exactValue(text)
  } catch {
    return undefined
  }
}
