import { ActionIcon, Button, Checkbox, Stack } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { FilterButton } from '../filters/filterbutton'
import { columns, type ColumnId } from './columns'
import classes from './columnchooser.module.css'

/** Which columns the list has, and in which order. */
export function ColumnChooser({
  shown,
  setShown,
  findings,
  setFindings,
}: {
  shown: readonly ColumnId[]
  /** [] for the usual columns. */
  setShown: (ids: readonly ColumnId[]) => void
  findings: boolean
  setFindings: (findings: boolean) => void
}) {
  const others = columns.filter(({ id }) => !shown.includes(id))
  const move = (at: number, by: 1 | -1) => {
    const ids = [...shown]
    const moved = ids.splice(at, 1)
    ids.splice(at + by, 0, ...moved)
    setShown(ids)
  }
  const nameOf = (id: ColumnId) => columns.find((column) => column.id === id)?.name ?? id
  return (
    <FilterButton name="Columns" value="" width={240}>
      {() => (
        <Stack gap={4}>
          {shown.map((id, i) => (
            <div key={id} className={classes.column}>
              <Checkbox
                size="xs"
                label={nameOf(id)}
                checked
                disabled={shown.length === 1}
                onChange={() => setShown(shown.filter((other) => other !== id))}
              />
              <ActionIcon
                size={24}
                variant="subtle"
                color="gray"
                aria-label={`Move ${nameOf(id)} to the left`}
                disabled={i === 0}
                onClick={() => move(i, -1)}
              >
                <IconArrowUp size={14} />
              </ActionIcon>
              <ActionIcon
                size={24}
                variant="subtle"
                color="gray"
                aria-label={`Move ${nameOf(id)} to the right`}
                disabled={i === shown.length - 1}
                onClick={() => move(i, 1)}
              >
                <IconArrowDown size={14} />
              </ActionIcon>
            </div>
          ))}
          {others.map(({ id, name }) => (
            <div key={id} className={classes.column}>
              <Checkbox size="xs" label={name} checked={false} onChange={() => setShown([...shown, id])} />
            </div>
          ))}
          <div className={classes.column} title="What of the usage of each session does not add up">
            <Checkbox
              size="xs"
              label="Findings"
              checked={findings}
              onChange={(event) => setFindings(event.currentTarget.checked)}
            />
          </div>
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setShown([])}>
            The usual columns
          </Button>
        </Stack>
      )}
    </FilterButton>
  )
}
