import { Stack, Tabs, Text } from '@mantine/core'
import { Command } from '../components/command'
import { useServerAddress } from '../login/queries'
import classes from './page.module.css'
import { recipes } from './recipes'

/** How a source is connected: for each kind of source what is typed. */
export function Connect() {
  const ways = recipes(useServerAddress())
  return (
    <Tabs defaultValue={ways[0]?.key ?? null} keepMounted={false}>
      <Tabs.List aria-label="Kinds of sources" mb="md" className={classes.kinds}>
        {ways.map(({ key, name }) => (
          <Tabs.Tab key={key} value={key} fw={500}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {ways.map(({ key, what, commands, note }) => (
        <Tabs.Panel key={key} value={key}>
          <Stack gap="sm">
            <Text size="sm">{what}</Text>
            {commands.map((command) => (
              <Command key={command.text} text={command.text} what={`the command to ${command.what}`} />
            ))}
            {note !== undefined && (
              <Text size="xs" c="dimmed">
                {note}
              </Text>
            )}
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
