import { Button, Text } from '@mantine/core'
import { useRef, useState, type ReactNode } from 'react'
import classes from './dropzone.module.css'

/** Takes files that are dropped on it or chosen. */
export function DropZone({
  icon,
  title,
  note,
  button,
  label,
  accept,
  multiple = false,
  take,
  children,
}: {
  icon: ReactNode
  title: string
  note: string
  /** The label of the button that opens the chooser. */
  button: string
  /** The name of the field for files. */
  label: string
  accept?: string
  multiple?: boolean
  take: (files: readonly File[]) => void
  /** Fields beside the button. */
  children?: ReactNode
}) {
  const [over, setOver] = useState(false)
  const chooser = useRef<HTMLInputElement>(null)
  return (
    <div
      className={classes.zone}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take([...event.dataTransfer.files])
      }}
    >
      {icon}
      <Text size="sm" fw={500}>
        {title}
      </Text>
      <Text size="xs" c="dimmed">
        {note}
      </Text>
      <div className={classes.choose}>
        {children}
        <Button size="xs" variant="default" onClick={() => chooser.current?.click()}>
          {button}
        </Button>
      </div>
      <input
        ref={chooser}
        type="file"
        accept={accept}
        multiple={multiple}
        hidden
        aria-label={label}
        onChange={(event) => {
          take([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ''
        }}
      />
    </div>
  )
}
