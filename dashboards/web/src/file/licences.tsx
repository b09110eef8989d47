import { Anchor, Modal } from '@mantine/core'
import { useState } from 'react'
import classes from './licences.module.css'

/** The licences of the parts of this page that others wrote, which every copy of it has to come with. */
export function Licences() {
  const [text, show] = useState<string | null>(null)
  return (
    <>
      <Anchor
        component="button"
        type="button"
        inherit
        onClick={() => void tapedeckText('licences').then((read) => show(read))}
      >
        Licences
      </Anchor>
      <Modal
        opened={text !== null}
        onClose={() => show(null)}
        title="Licences of the parts of this page"
        size="xl"
        closeButtonProps={{ 'aria-label': 'Close' }}
        lockScroll={false}
      >
        <pre className={classes.text}>{text}</pre>
      </Modal>
    </>
  )
}
