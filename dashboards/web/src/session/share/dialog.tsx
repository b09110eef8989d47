import { Button, Code, Group, Modal, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../api/client'
import { Command } from '../../components/command'
import { useFocusReturn } from '../../components/focusreturn'
import { ProblemAlert } from '../../components/problem'
import { Time } from '../../components/time'
import { clock } from '../../format/duration'
import { loginQuery, useServerAddress } from '../../login/queries'
import { command } from '../menu/commands'
import { SameByCommand } from '../menu/dialog'
import { momentText } from '../place'
import { usePlayerState } from '../player/context'
import { timeAfter } from '../player/position'
import classes from './dialog.module.css'
import { createShare, isOpen, revokeShare, sharesQuery, type NewShare } from './queries'

const day = 24 * 3600_000
const lives = [
  { value: '1', label: 'a day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
]

/** Makes a link to a session, and lists and revokes its links. */
export default function ShareDialog({
  session,
  close,
}: {
  session: Schemas['SessionDetail']
  close: () => void
}) {
  useFocusReturn()
  const [made, setMade] = useState<NewShare | null>(null)
  const server = useServerAddress()
  const tokens = useQuery({ ...loginQuery, enabled: false }).data?.tokens === true
  return (
    <Modal
      opened
      onClose={close}
      title="Share this session"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
      // The policy forbids the style by which it would lock the page.
      lockScroll={false}
    >
      {tokens ? (
        <Stack gap="md">
          {made === null ? (
            <ShareForm session={session} done={setMade} />
          ) : (
            <Stack gap="xs">
              <Text size="sm">
                Whoever has this link sees the session until{' '}
                <b>{made.expires_at !== null && <Time at={made.expires_at} />}</b>. Copy it now: it is{' '}
                <b>not shown again</b>.
              </Text>
              <Command text={made.url} what="the link" />
            </Stack>
          )}
          <Links session={session.id} />
          <SameByCommand
            text={command('share create', server, session.id)}
            what="the command that makes a link"
          />
        </Stack>
      ) : (
        <Text size="sm">
          A link shows one session to somebody who may see nothing else of the server. So it needs a server
          whose users have tokens: start it with <Code>--tokens</Code>. <b>Export…</b> in the same menu writes
          the session as one HTML file, which opens anywhere without a server.
        </Text>
      )}
    </Modal>
  )
}

function ShareForm({ session, done }: { session: Schemas['SessionDetail']; done: (made: NewShare) => void }) {
  const client = useQueryClient()
  const offset = usePlayerState(({ offset }) => offset)
  const [note, setNote] = useState('')
  const [days, setDays] = useState('7')
  const [until, setUntil] = useState(false)
  const [here, setHere] = useState(true)
  const creating = useMutation({
    mutationFn: createShare,
    onSuccess: (made) => {
      done(here ? { ...made, url: atMoment(made.url, offset) } : made)
      return client.invalidateQueries(sharesQuery(session.id))
    },
  })
  const moment = timeAfter(session.started, offset)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        creating.mutate({
          session: session.id,
          ...(until && { to: moment }),
          expires_at: new Date(Date.now() + Number(days) * day).toISOString(),
          note,
        })
      }}
    >
      <Stack gap="sm">
        <Text size="sm">
          A link shows this session, as it is now, to people without an account. Secrets are masked, and tags
          are left out. What is recorded later is not shown.
        </Text>
        <TextInput
          label="Note"
          description="Whoever opens the link sees it."
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          maxLength={500}
          data-autofocus
        />
        <NativeSelect
          label="Valid for"
          data={lives}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
        />
        <Switch
          size="xs"
          label={`Open at ${clock(offset)}`}
          checked={here}
          onChange={(event) => setHere(event.currentTarget.checked)}
        />
        <Switch
          size="xs"
          label="Only until the player’s moment"
          checked={until}
          onChange={(event) => setUntil(event.currentTarget.checked)}
        />
        {creating.error !== null && <ProblemAlert error={creating.error} />}
        <Group justify="flex-end">
          <Button size="xs" type="submit" loading={creating.isPending}>
            Make a link
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** A link that opens its session at a moment, ms from its start. The secret after the # stays last. */
function atMoment(link: string, offset: number): string {
  const url = new URL(link)
  url.searchParams.set('t', momentText(offset))
  return url.href
}

/** The links that open the session now. */
function Links({ session }: { session: string }) {
  const client = useQueryClient()
  const links = useQuery(sharesQuery(session))
  const revoking = useMutation({
    mutationFn: revokeShare,
    onSuccess: () => client.invalidateQueries(sharesQuery(session)),
  })
  const error = links.error ?? revoking.error
  const open = (links.data ?? []).filter((link) => isOpen(link))
  return (
    <>
      {error !== null && <ProblemAlert error={error} />}
      {open.length > 0 && (
        <section aria-label="Links to this session">
          <Text size="sm" fw={600} mb={4}>
            Links to this session
          </Text>
          <ul className={classes.links}>
            {open.map((link) => (
              <li key={link.id} className={classes.link}>
                <span className={classes.note}>{link.note === '' ? link.id : link.note}</span>
                <Text span size="xs" c="dimmed">
                  {link.expires_at !== null && (
                    <>
                      until <Time at={link.expires_at} />
                    </>
                  )}
                  {link.last_used === null ? ', not opened yet' : ', opened'}
                </Text>
                <Button
                  size="compact-xs"
                  variant="default"
                  loading={revoking.isPending && revoking.variables === link.id}
                  onClick={() => revoking.mutate(link.id)}
                  aria-label={`Revoke ${link.note === '' ? link.id : link.note}`}
                >
                  Revoke
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
