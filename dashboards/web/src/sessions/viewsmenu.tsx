import { ActionIcon, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Filter } from '../filters/filter'
import { FilterButton } from '../filters/filterbutton'
import { facetsQuery } from '../filters/queries'
import { keepViews, keptViews } from './keptviews'
import { builtIn, showsView, viewAddress, viewOf, type View } from './views'
import classes from './viewsmenu.module.css'

/** The views of the list: built in and kept by the browser. The present one can be kept under a name. */
export function ViewsMenu({ filter, columns }: { filter: Filter; columns: readonly string[] }) {
  const [kept, setKept] = useState(keptViews)
  const [failed, setFailed] = useState(false)
  const present = [...kept, ...builtIn()].find((view) => showsView(view, filter, columns))
  const change = (views: readonly View[]) => {
    setFailed(!keepViews(views))
    setKept(views)
  }
  return (
    <FilterButton name="Views" value={present?.name ?? ''} width={300}>
      {(close) => (
        <Stack gap="xs">
          <BuiltInViews present={present?.name} close={close} />
          {kept.length > 0 && (
            <ul className={classes.list} aria-label="Kept views">
              {kept.map((view) => (
                <KeptView
                  key={view.name}
                  view={view}
                  present={view === present}
                  close={close}
                  taken={(name) => kept.some((other) => other !== view && other.name === name)}
                  rename={(name) => change(kept.map((other) => (other === view ? { ...view, name } : other)))}
                  remove={() => change(kept.filter((other) => other !== view))}
                />
              ))}
            </ul>
          )}
          <NewView keep={(name) => change([...without(kept, name), viewOf(name, filter, columns)])} />
          <Text size="xs" c={failed ? 'var(--text-error)' : 'dimmed'}>
            {failed
              ? 'This browser does not keep views: its storage is disabled or full.'
              : 'Kept in this browser. The address of the page leads others to the same view.'}
          </Text>
        </Stack>
      )}
    </FilterButton>
  )
}

const without = (views: readonly View[], name: string) => views.filter((view) => view.name !== name)

function ViewLink({ view, present, close }: { view: View; present: boolean; close: () => void }) {
  return (
    <Anchor
      component={Link}
      href={viewAddress(view)}
      size="sm"
      aria-current={present ? 'true' : undefined}
      fw={present ? 600 : undefined}
      className={classes.name}
      onClick={close}
    >
      {view.name}
    </Anchor>
  )
}

function KeptView({
  view,
  present,
  close,
  taken,
  rename,
  remove,
}: {
  view: View
  present: boolean
  close: () => void
  /** Whether another view has a name. */
  taken: (name: string) => boolean
  rename: (name: string) => void
  remove: () => void
}) {
  const [name, setName] = useState<string | null>(null)
  if (name !== null) {
    const wrong = name.trim() === '' || taken(name.trim())
    return (
      <li>
        <form
          className={classes.view}
          onSubmit={(event) => {
            event.preventDefault()
            if (wrong) return
            rename(name.trim())
            setName(null)
          }}
        >
          <TextInput
            size="xs"
            aria-label={`New name of ${view.name}`}
            className={classes.name}
            value={name}
            error={taken(name.trim()) && 'another view has this name'}
            maxLength={80}
            onChange={(event) => setName(event.currentTarget.value)}
            autoFocus
          />
          <Button size="compact-xs" type="submit" disabled={wrong}>
            Rename
          </Button>
        </form>
      </li>
    )
  }
  return (
    <li className={classes.view}>
      <ViewLink view={view} present={present} close={close} />
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={`Rename ${view.name}`}
        onClick={() => setName(view.name)}
      >
        <IconPencil size={14} />
      </ActionIcon>
      <ActionIcon size="sm" variant="subtle" color="gray" aria-label={`Delete ${view.name}`} onClick={remove}>
        <IconTrash size={14} />
      </ActionIcon>
    </li>
  )
}

/** Keeps the present filter, order and columns; a view of the same name is replaced. */
function NewView({ keep }: { keep: (name: string) => void }) {
  const [name, setName] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() === '') return
        keep(name.trim())
        setName('')
      }}
    >
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <TextInput
          size="xs"
          label="Keep what is shown as"
          placeholder="Name of the view"
          value={name}
          maxLength={80}
          onChange={(event) => setName(event.currentTarget.value)}
          style={{ flex: 1 }}
        />
        <Button size="xs" variant="default" type="submit" disabled={name.trim() === ''}>
          Keep
        </Button>
      </Group>
    </form>
  )
}

/** The built-in views. The tags of some of them are asked for when they are looked at. */
function BuiltInViews({ present, close }: { present: string | undefined; close: () => void }) {
  const tags = useQuery(facetsQuery).data?.tags
  return (
    <ul className={classes.list} aria-label="Built-in views">
      {builtIn(tags).map((view) => (
        <li key={view.name} className={classes.view}>
          <ViewLink view={view} present={view.name === present} close={close} />
        </li>
      ))}
    </ul>
  )
}
