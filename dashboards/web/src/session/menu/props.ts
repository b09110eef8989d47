import type { Schemas } from '../../api/client'

/** What a dialog of a session's menu receives. */
export interface DialogProps {
  session: Schemas['SessionDetail']
  /** Closes the dialog. */
  close: () => void
}
