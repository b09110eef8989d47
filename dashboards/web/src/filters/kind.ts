import type { ReactNode } from 'react'

/** A kind of filter: what of it is chosen, and how it is changed. */
export interface Kind {
  name: string
  /** What passes, in a few words; "" for everything. */
  value: string
  /** The width of its panel, px. */
  width?: number
  /** Lets everything pass. */
  clear: () => void
  panel: (close: () => void) => ReactNode
}
