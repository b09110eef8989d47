import { Button, Group, NativeSelect, Switch, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../api/client'
import { ProblemAlert } from '../../components/problem'
import { clock } from '../../format/duration'
import { usePlayerState } from '../player/context'
import { labelsOf } from './labels'
import classes from './notes.module.css'
import { addNote, notesQuery } from './queries'

/** Writes a note on the session, or on the moment that the player shows. */
export function NoteForm({ session }: { session: Schemas['SessionDetail'] }) {
  const client = useQueryClient()
  const offset = usePlayerState(({ offset }) => offset)
  const [text, setText] = useState('')
  const [labels, setLabels] = useState('')
  const [thumb, setThumb] = useState('none')
  const [here, setHere] = useState(true)
  const adding = useMutation({
    mutationFn: () =>
      addNote(session.id, {
        text,
        labels: labelsOf(labels),
        thumb: thumb === 'up' || thumb === 'down' ? thumb : null,
        offset_ms: here ? offset : null,
      }),
    onSuccess: () => {
      setText('')
      setLabels('')
      setThumb('none')
      return client.invalidateQueries(notesQuery(session.id))
    },
  })
  const empty = text.trim() === '' && labelsOf(labels).length === 0 && thumb === 'none'
  return (
    <form
      className={classes.form}
      aria-label="New note"
      onSubmit={(event) => {
        event.preventDefault()
        if (!empty) adding.mutate()
      }}
    >
      <Textarea
        label="Note"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        rows={2}
        maxLength={16_384}
      />
      <div className={classes.more}>
        <TextInput
          label="Labels"
          placeholder="bug, triage"
          value={labels}
          onChange={(event) => setLabels(event.currentTarget.value)}
        />
        <NativeSelect
          label="Thumb"
          data={[
            { value: 'none', label: 'None' },
            { value: 'up', label: 'Up' },
            { value: 'down', label: 'Down' },
          ]}
          value={thumb}
          onChange={(event) => setThumb(event.currentTarget.value)}
        />
      </div>
      <Group justify="space-between">
        <Switch
          label={`At ${clock(offset)}, where the player is`}
          checked={here}
          onChange={(event) => setHere(event.currentTarget.checked)}
        />
        <Button type="submit" size="compact-sm" loading={adding.isPending} disabled={empty}>
          Add the note
        </Button>
      </Group>
      {adding.error !== null && <ProblemAlert error={adding.error} />}
    </form>
  )
}
