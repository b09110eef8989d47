import { type Image, imageOfPart } from '../../components/images'

/** A list of content in a frame that has images: those of one message, or of one result of a tool. */
export interface ImageList {
  images: Image[]
  /** The texts of the list, one a line, as a message has them. */
  text: string
  /** The ids of the call that it answers, as the objects around it name them. */
  calls: string[]
}

/** Bounds of what is read of a frame: levels, values, and images. */
const bounds = { depth: 60, values: 200_000, images: 50 }

const callNames = ['tool_use_id', 'tool_call_id', 'toolCallId', 'toolUseId', 'call_id', 'callId']

/** The lists of content of a frame that have images, in the order of the frame. */
export function imageLists(frame: unknown): ImageList[] {
  const lists: ImageList[] = []
  let [values, images] = [0, 0]
  const walk = (value: unknown, calls: readonly string[], depth: number) => {
    if (typeof value !== 'object' || value === null || depth > bounds.depth || ++values > bounds.values)
      return
    if (Array.isArray(value)) {
      const found = images < bounds.images ? listOf(value, calls) : null
      if (found !== null) {
        images += found.images.length
        lists.push(found)
      }
      for (const element of value) walk(element, calls, depth + 1)
      return
    }
    const fields = value as Record<string, unknown>
    const own = callNames.flatMap((name) => (typeof fields[name] === 'string' ? [fields[name]] : []))
    for (const member of Object.values(fields)) walk(member, own.length > 0 ? own : calls, depth + 1)
  }
  walk(frame, [], 0)
  return lists
}

function listOf(elements: readonly unknown[], calls: readonly string[]): ImageList | null {
  const images = elements.flatMap((element) => imageOfPart(element) ?? [])
  if (images.length === 0) return null
  return { images, text: elements.flatMap(textOf).join('\n'), calls: [...calls] }
}

function textOf(element: unknown): string[] {
  if (typeof element !== 'object' || element === null) return []
  const { text } = element as { text?: unknown }
  return typeof text === 'string' ? [text] : []
}

/**
 * The images of a message among those of its frame. A request holds the conversation so far, so a list counts
 * only if it answers the message's call or has its text; of several the last one.
 */
export function imagesOf(lists: readonly ImageList[], message: { text: string; call: string }): Image[] {
  const answers = lists.filter(({ calls }) => message.call !== '' && calls.includes(message.call))
  const among = answers.length > 0 ? answers : lists.filter(({ text }) => text === message.text)
  return among.at(-1)?.images ?? []
}
