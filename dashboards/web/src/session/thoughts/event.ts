/** An event of a search for thoughts, or a state that was sent beside the events. */
export interface ThoughtEvent {
  kind: string
  fields: Readonly<Record<string, unknown>>
  /** When it was recorded, ms from the session's start. */
  at: number
}
