import { Text, UnstyledButton } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import type { Schemas } from '../../api/client'
import { imageBy, imageOf } from '../../components/images'
import { JsonTree } from '../../components/json/tree'
import { LongText } from '../../components/longtext'
import { Prose } from '../../components/markdown/prose'
import { Picture } from '../../components/picture'
import { RevealContext } from '../../components/reveal'
import { duration } from '../../format/duration'
import { counted } from '../../format/numbers'
import { useRevealed } from '../find/context'
import { MomentLink } from '../moment'
import { imageCount, Pictures } from '../pictures/pictures'
import { usePlayerState } from '../player/context'
import { isInstructions, toolsOffered } from '../prompt/stated'
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

/** Written by people and programs, whose line breaks are meant. A model's are those of Markdown. */
const ofPeople: ReadonlySet<Message['kind']> = new Set(['user', 'reply', 'system'])

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
  const who = whoSays(message)
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

function whoSays(message: Message): string {
  if (message.kind === 'assistant' && message.agent !== '') return message.agent
  if (isInstructions(message)) return 'System prompt'
  const offered = toolsOffered(message)
  return offered === null ? names[message.kind] : `${counted(offered, 'tool')} offered`
}

/** How long a folded text is, and how long it took. */
function Size({ message, length, growing }: { message: Message; length: number; growing: boolean }) {
  const took = wholeAt(growthOf(message)) - message.start_ms
  return (
    <Text span size="xs" c="dimmed">
      {counted(length, 'character')}
      {!growing && took > 0 && ` in ${duration(took)}`}
      {growing && <span className={classes.writing}> …</span>}
    </Text>
  )
}

function Body({ message, text, growing }: { message: Message; text: string; growing: boolean }) {
  if (!growing) {
    const image = imageOf(text) ?? imageBy(message.media, text)
    if (image !== null) return <Picture image={image} label={`${names[message.kind]}, an image`} />
    if (message.media === 'json') {
      const value = parsed(text)
      if (value !== undefined) return <JsonTree value={value} label={names[message.kind]} />
    }
  }
  if (text === '' && !growing)
    return imageCount(message) > 0 ? (
      <Pictures message={message} />
    ) : (
      <Text size="sm" c="dimmed">
        Nothing was written.
      </Text>
    )
  // What a program says is no Markdown.
  if (message.kind === 'error') return <LongText text={text} label="Error" />
  return (
    <>
      <Prose text={text} growing={growing} breaks={ofPeople.has(message.kind)} />
      {!growing && <Pictures message={message} />}
    </>
  )
}
