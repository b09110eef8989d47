import { Text, Title } from '@mantine/core'
import { useServerAddress } from '../login/queries'
import { useTitle } from '../components/title'
import { Connect } from './connect'
import { DropFiles } from './drop'
import { FailedStreams, LiveStreams } from './live'
import classes from './page.module.css'

export default function RecordPage() {
  useTitle('Record')
  const address = useServerAddress()
  return (
    <div className={classes.page} data-ready>
      <div className={classes.main}>
        <header>
          <Title order={1} size="h3">
            Record
          </Title>
          <Text size="sm" c="dimmed" mt={2}>
            This server listens at <code>{address}</code>. What reaches it is kept to the byte, with the time
            it arrived.
          </Text>
        </header>
        <section aria-labelledby="connect" className={classes.section}>
          <Title order={2} size="h5" id="connect">
            Connect a source
          </Title>
          <Connect />
        </section>
        <section aria-labelledby="now" className={classes.section}>
          <Title order={2} size="h5" id="now">
            Being recorded now
          </Title>
          <LiveStreams />
        </section>
        <FailedStreams />
      </div>
      <section aria-labelledby="files" className={classes.side}>
        <Title order={2} size="h5" id="files">
          Record a file
        </Title>
        <DropFiles />
      </section>
    </div>
  )
}
