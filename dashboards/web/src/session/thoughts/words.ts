import { clock } from '../../format/duration'
import type { Thought } from './drawing'

/** How much of a text is part of a name, characters, and how many of the nodes before it. */
const mostText = 200
const mostBefore = 5

/** What is stated of a thought besides its text: "chosen, 0.9". */
export function words({ mark, score }: Thought): string {
  const parts = mark === null || mark === 'step' ? [] : [mark as string]
  if (score !== null) parts.push(scoreText(score))
  return parts.join(', ')
}

/** A score in at most four digits: sources send 0.9 as 0.8999999761581421. */
export function scoreText(score: number): string {
  return String(Number(score.toPrecision(4)))
}

/** A thought in words, for who does not see the drawing. */
export function describe(thought: Thought, before: readonly string[]): string {
  const { title, text, at } = thought
  const parts = [title]
  const stated = words(thought)
  if (stated !== '') parts.push(stated)
  if (before.length > 0) {
    const more = before.length > mostBefore ? ` and ${before.length - mostBefore} more` : ''
    parts.push(`after ${before.slice(0, mostBefore).join(', ')}${more}`)
  }
  if (text !== '') parts.push(text.length > mostText ? `${text.slice(0, mostText)}…` : text)
  return `${parts.join('; ')}. Go to ${clock(at)}`
}
