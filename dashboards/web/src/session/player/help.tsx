import { Kbd, Modal } from '@mantine/core'
import { keyHelp } from './keys'
import classes from './transport.module.css'

/** What the keys do. */
export function KeyHelp({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="Keys"
      closeButtonProps={{ 'aria-label': 'Close' }}
      // The page does not scroll, and what would keep it from that is a style that the policy forbids.
      lockScroll={false}
    >
      <dl className={classes.keys}>
        {keyHelp.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
