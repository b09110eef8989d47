import { Autocomplete, Group, Stack, TextInput } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { facetsQuery } from '../filters/queries'
import classes from './drop.module.css'
import { DropZone } from './dropzone'
import { FileResult, type FileState } from './fileresult'
import { inspect, KnownError, upload } from './upload'

/** Records files that are dropped or chosen: streams that were written down, and tapes. */
export function DropFiles() {
  const queries = useQueryClient()
  const facets = useQuery(facetsQuery)
  const [session, setSession] = useState('')
  const [dialect, setDialect] = useState('')
  const [files, setFiles] = useState<readonly FileState[]>([])

  const record = async (file: File, key: string = crypto.randomUUID(), again = false) => {
    const update = (state: Omit<FileState, 'key' | 'name'>) =>
      setFiles((all) => [{ key, name: file.name, ...state }, ...all.filter((one) => one.key !== key)])
    update({ share: 0 })
    try {
      const kind = await inspect(file)
      const result = await upload(
        file,
        kind,
        { session: session.trim(), dialect: dialect.trim(), again },
        (share) => update({ share }),
      )
      update({ result })
      await queries.invalidateQueries({ queryKey: ['sessions'] })
    } catch (error) {
      if (error instanceof KnownError)
        update({ known: { session: error.session, recordAgain: () => void record(file, key, true) } })
      else update({ error: error instanceof Error ? error : new Error(String(error)) })
    }
  }
  const take = (list: readonly File[]) => {
    for (const file of list) void record(file)
  }

  return (
    <Stack gap="sm">
      <DropZone
        icon={<IconFileUpload size={28} stroke={1.4} aria-hidden />}
        title="Drop files here"
        note="Lines (NDJSON), server-sent events, or a .tape"
        label="Files to record"
        button="Choose files"
        multiple
        take={take}
      />
      <Group gap="sm" grow align="flex-start">
        <TextInput
          size="xs"
          label="Session"
          placeholder="as the frames say"
          value={session}
          onChange={(event) => setSession(event.currentTarget.value)}
        />
        <Autocomplete
          size="xs"
          label="Dialect"
          placeholder="recognised"
          data={facets.data?.dialects ?? []}
          value={dialect}
          onChange={setDialect}
          comboboxProps={{ withinPortal: false }}
        />
      </Group>
      <div role="status" className={classes.results}>
        {files.map((file) => (
          <FileResult key={file.key} file={file} />
        ))}
      </div>
    </Stack>
  )
}
