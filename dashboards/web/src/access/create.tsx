import { Button, Checkbox, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Command } from '../components/command'
import { useFocusReturn } from '../components/focusreturn'
import { ProblemAlert } from '../components/problem'
import { createToken, scopes, tokensQuery, type NewToken, type Scope } from './queries'

const day = 24 * 3600_000
const lives = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '', label: 'without end' },
]

/** Makes a token and shows its text once. */
export function CreateDialog({ operates, close }: { operates: boolean; close: () => void }) {
  useFocusReturn()
  const [made, setMade] = useState<NewToken | null>(null)
  return (
    <Modal
      opened
      onClose={close}
      title={made === null ? 'Make a token' : `The token ${made.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
      closeOnClickOutside={made === null}
      // The policy forbids the style by which it would lock the page.
      lockScroll={false}
    >
      {made === null ? (
        <TokenForm operates={operates} close={close} done={setMade} />
      ) : (
        <Stack gap="sm">
          <Text size="sm">
            Copy it now: it is stored as a hash and <b>not shown again</b>.
          </Text>
          <Command text={made.token} what="the token" />
          <Group justify="flex-end">
            <Button size="xs" onClick={close}>
              Done
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function TokenForm({
  operates,
  close,
  done,
}: {
  operates: boolean
  close: () => void
  done: (made: NewToken) => void
}) {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [tenant, setTenant] = useState('')
  const [chosen, setChosen] = useState<string[]>(['record'])
  const [days, setDays] = useState('90')
  const creating = useMutation({
    mutationFn: createToken,
    onSuccess: (made) => {
      done(made)
      return client.invalidateQueries(tokensQuery)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        creating.mutate({
          name,
          ...(tenant !== '' && { tenant }),
          scopes: chosen as Scope[],
          expires_at: days === '' ? null : new Date(Date.now() + Number(days) * day).toISOString(),
        })
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="What it is for, such as the program that sends it."
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          maxLength={100}
          data-autofocus
        />
        {operates && (
          <TextInput
            label="Tenant"
            description="* for the administration of all; that of these pages if it is left out."
            value={tenant}
            onChange={(event) => setTenant(event.currentTarget.value)}
          />
        )}
        <Checkbox.Group label="Scopes" value={chosen} onChange={setChosen}>
          <Stack gap={6} mt={6}>
            {scopes.map(({ scope, allows }) => (
              <Checkbox key={scope} size="xs" value={scope} label={scope} description={allows} />
            ))}
          </Stack>
        </Checkbox.Group>
        <NativeSelect
          label="Valid for"
          data={lives}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
        />
        {creating.error !== null && <ProblemAlert error={creating.error} />}
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            size="xs"
            type="submit"
            loading={creating.isPending}
            disabled={name.trim() === '' || chosen.length === 0}
          >
            Make the token
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
