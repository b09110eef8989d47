import { Badge, Button, Group, Modal, Text } from '@mantine/core'
import { IconThumbDown, IconThumbUp } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../api/client'
import { useFocusReturn } from '../../components/focusreturn'
import { Loading } from '../../components/loading'
import { ProblemAlert } from '../../components/problem'
import { Time } from '../../components/time'
import { hasScope, loginQuery } from '../../login/queries'
import { MomentLink } from '../moment'
import { offsetOfTime } from '../player/position'
import { NoteForm } from './form'
import classes from './notes.module.css'
import { deleteNote, type Note, notesQuery } from './queries'

type Session = Schemas['SessionDetail']

/** The notes of a session, and a form for another one. */
export default function Notes({ session }: { session: Session }) {
  const notes = useQuery(notesQuery(session.id))
  const principal = useQuery({ ...loginQuery, enabled: false }).data?.principal ?? null
  const may = principal !== null && hasScope(principal, 'note')
  return (
    <div className={classes.page}>
      {may && <NoteForm session={session} />}
      {notes.error !== null && <ProblemAlert error={notes.error} again={() => void notes.refetch()} />}
      {notes.isPending && <Loading size="sm" label="Loading the notes" />}
      {notes.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          No notes. {may ? 'A note says what this session or a moment in it shows.' : ''}
        </Text>
      )}
      {notes.data !== undefined && notes.data.length > 0 && (
        <ul className={classes.list} aria-label="Notes">
          {notes.data.map((note) => (
            <NoteItem key={note.id} note={note} session={session} may={may} />
          ))}
        </ul>
      )}
    </div>
  )
}

function NoteItem({ note, session, may }: { note: Note; session: Session; may: boolean }) {
  const [asks, setAsks] = useState(false)
  return (
    <li className={classes.note}>
      <div className={classes.head}>
        {note.at !== null && (
          <MomentLink ms={offsetOfTime(note.at, session.started)} started={session.started} />
        )}
        {note.span_id !== null && (
          <Text span size="xs" c="dimmed">
            span {note.span_id}
          </Text>
        )}
        {note.thumb === 'up' && (
          <IconThumbUp size={16} role="img" aria-label="Thumb up" color="var(--text-ok)" />
        )}
        {note.thumb === 'down' && (
          <IconThumbDown size={16} role="img" aria-label="Thumb down" color="var(--text-error)" />
        )}
        {note.labels.map((label) => (
          <Badge key={label} variant="default" size="sm" tt="none">
            {label}
          </Badge>
        ))}
        <Text span size="xs" c="dimmed" className={classes.author}>
          {note.author}, <Time at={note.written_at} />
        </Text>
        {may && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => setAsks(true)}
            aria-label={`Delete the note ${note.text === '' ? note.labels.join(', ') : note.text.slice(0, 60)}`}
          >
            Delete
          </Button>
        )}
      </div>
      {note.text !== '' && <p className={classes.text}>{note.text}</p>}
      {asks && <DeleteNote note={note} session={session} close={() => setAsks(false)} />}
    </li>
  )
}

/** Deletes a note once that is confirmed: there is no way to get it back. */
function DeleteNote({ note, session, close }: { note: Note; session: Session; close: () => void }) {
  useFocusReturn()
  const client = useQueryClient()
  const deleting = useMutation({
    mutationFn: () => deleteNote(session.id, note.id),
    onSuccess: close,
    onSettled: () => client.invalidateQueries(notesQuery(session.id)),
  })
  return (
    <Modal
      opened
      onClose={close}
      title={`Delete the note of ${note.author}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
      transitionProps={{ duration: 0 }}
      // The policy forbids the style by which it would lock the page.
      lockScroll={false}
    >
      <Text size="sm">It cannot be undone.</Text>
      {deleting.error !== null && <ProblemAlert error={deleting.error} />}
      <Group justify="flex-end" gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={close} data-autofocus>
          Cancel
        </Button>
        <Button size="xs" color="red.9" loading={deleting.isPending} onClick={() => deleting.mutate()}>
          Delete the note
        </Button>
      </Group>
    </Modal>
  )
}
