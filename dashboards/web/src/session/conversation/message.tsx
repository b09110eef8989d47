import { Text, UnstyledButton } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import type { Schemas } from '../../api/client'
import { dataUrl, imageOf } from '../../components/images'
import { JsonTree } from '../../components/json/tree'
import { Prose } from '../../components/markdown/prose'
import { RevealContext } from '../../components/reveal'
import { duration } from '../../format/duration'
import { counted } from '../../format/numbers'
import { useRevealed } from '../find/context'
import { MomentLink } from '../moment'
import { usePlayerState } from '../player/context'
import { CutOff } from './cutoff'
import { useFold } from './folds'
import { growthOf, lengthAt, wholeAt } from './growth'
import { parsed } from './json'
import classes from './message.module.css'

type Message = Schemas['Message']

const names: Record<Message['kind'], string> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  thinking: 'Thinking',
  tool_arguments: 'Arguments',
  tool_output: 'Output',
  tool_result: 'Result',
  reply: 'Reply',
  error: 'Error',
}

/** A message as it stood at the player's moment. */
export function MessageRow({ message, started }: { message: Message; started: string }) {
  const growth = growthOf(message)
  const length = usePlayerState(({ offset }) => lengthAt(growth, offset))
  const running = usePlayerState((state) => state.running)
  const growing = length < message.text.length || (running && !message.complete)
  const text = message.text.slice(0, length)
  const folds = message.kind === 'thinking' || message.kind === 'system'
  const revealed = useRevealed(message.id)
  const [unfolded, toggle] = useFold(message.id, !folds)
  const open = unfolded || revealed !== ''
  const who = message.kind === 'assistant' && message.agent !== '' ? message.agent : names[message.kind]
  return (
    <article
      className={classes.message}
      data-kind={message.kind}
      data-message={message.id}
      aria-label={names[message.kind]}
    >
      <header className={classes.head}>
        {folds ? (
          <UnstyledButton className={classes.fold} aria-expanded={open} onClick={toggle}>
            <IconChevronRight size={13} aria-hidden />
            <span className={classes.who}>{who}</span>
            <Size message={message} length={length} growing={growing} />
          </UnstyledButton>
        ) : (
          <span className={classes.who}>{who}</span>
        )}
        <MomentLink ms={message.start_ms} started={started} />
      </header>
      <RevealContext value={revealed}>
        {open && <Body message={message} text={text} growing={growing} />}
      </RevealContext>
      {length === message.text.length && <CutOff message={message} />}
    </article>
  )
}

/** How long a folded text is, and how long it took. */
function Size({ message, length, growing }: { message: Message; length: number; growing: boolean }) {
  const took = wholeAt(growthOf(message)) - message.start_ms
  return (
    <Text span size="xs" c="dimmed" className="figures">
      {counted(length, 'character')}
      {!growing && took > 0 && ` in ${duration(took)}`}
      {growing && <span className={classes.writing}> …</span>}
    </Text>
  )
}

function Body({ message, text, growing }: { message: Message; text: string; growing: boolean }) {
  if (!growing) {
    const image = imageOf(text) ?? dataUrl(message.media, text)
    if (image !== null)
      return <img className={classes.picture} src={image} alt={`${names[message.kind]}, an image`} />
    if (message.media === 'json') {
      const value = parsed(text)
      if (value !== undefined) return <JsonTree value={value} label={names[message.kind]} />
    }
  }
  if (text === '' && !growing)
    return (
      <Text size="sm" c="dimmed">
        Nothing was written.
      </Text>
    )
  return <Prose text={text} growing={growing} />
}
