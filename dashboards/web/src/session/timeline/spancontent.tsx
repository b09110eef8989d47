import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Schemas } from '../../api/client'
import { Copy } from '../../components/copy'
import { Prose } from '../../components/markdown/prose'
import { ProblemAlert } from '../../components/problem'
import { counted } from '../../format/numbers'
import { CutOff } from '../conversation/cutoff'
import { parsed } from '../conversation/json'
import { type Shape, shapeOf } from '../conversation/shapes'
import { Answered, Asked, PlainValue } from '../conversation/toolvalue'
import { Pictures } from '../pictures/pictures'
import { PromptPanel } from '../prompt/panel'
import { isInstructions, toolsOffered } from '../prompt/stated'
import { transcriptQuery } from '../queries'
import { contentOf } from './content'
import classes from './detail.module.css'
import { withDescendants } from './span'

type Message = Schemas['Message']

/** How many texts are shown before one asks for the rest. */
const first = 12

const names: Partial<Record<Message['kind'], string>> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  thinking: 'Thinking',
  tool_output: 'Output',
  tool_result: 'Result',
  reply: 'Reply',
  error: 'Error',
}

/** What went into a span and what came out of it: all of it, also what the player has yet to come to. */
export function SpanContent({ span, timeline }: { span: Schemas['Span']; timeline: Schemas['Timeline'] }) {
  const transcript = useQuery(transcriptQuery(timeline.session_id))
  const content = useMemo(
    () => transcript.data && contentOf(span, withDescendants(timeline.spans), transcript.data),
    [span, timeline.spans, transcript.data],
  )
  const asked =
    span.kind === 'tool' ? content?.input.find(({ kind }) => kind === 'tool_arguments') : undefined
  const shape = asked === undefined ? null : shapeOf(asked.name, parsed(asked.text) ?? asked.text)
  if (content === undefined)
    return transcript.error === null ? null : (
      <ProblemAlert error={transcript.error} again={() => void transcript.refetch()} />
    )
  const isModel = span.kind === 'llm'
  // The prompt of a model call is a part of its own.
  const input = isModel
    ? content.input.filter((message) => !isInstructions(message) && toolsOffered(message) === null)
    : content.input
  return (
    <>
      {isModel && transcript.data !== undefined && (
        <PromptPanel session={timeline.session_id} span={span} messages={transcript.data} />
      )}
      <Texts title={span.kind === 'tool' ? 'Arguments' : 'Input'} messages={input} shape={null} />
      <Texts
        title={span.kind === 'tool' ? 'Result' : 'Output'}
        messages={content.output}
        shape={shape}
        call={span.call_id}
      />
    </>
  )
}

function Texts({
  title,
  messages,
  shape,
  call = '',
}: {
  title: string
  messages: readonly Message[]
  shape: Shape | null
  /** The id of the call that they answer, as frames name it. */
  call?: string
}) {
  const [all, setAll] = useState(false)
  if (messages.length === 0) return null
  const rest = messages.length - first
  const shown = all ? messages : messages.slice(0, first)
  return (
    <section className={classes.section} aria-label={title}>
      <h3>{title}</h3>
      {shown.map((message) => (
        <Text
          key={message.id}
          message={message}
          bare={messages.length === 1}
          label={title}
          shape={shape}
          call={call}
        />
      ))}
      {!all && rest > 0 && (
        <Button size="compact-xs" variant="subtle" onClick={() => setAll(true)}>
          Show {counted(rest, 'more text')}
        </Button>
      )}
    </section>
  )
}

/** A text as a whole. A text that is alone under its title needs no name. */
function Text({ message, bare, label, shape, call }: ValueProps & { bare: boolean; call: string }) {
  const name = message.kind === 'tool_arguments' ? `Call of ${message.name}` : names[message.kind]
  return (
    <div className={classes.text}>
      {!bare && <div className={classes.who}>{name}</div>}
      <div className={classes.value}>
        <div className={classes.copy}>
          <Copy text={message.text} what={`Copy the ${label.toLowerCase()}`} />
        </div>
        <Value message={message} label={label} shape={shape} />
        <Pictures message={message} call={call} />
      </div>
      <CutOff message={message} />
    </div>
  )
}

function Value({ message: { text, media, kind, name }, label, shape }: ValueProps) {
  if (text === '') return <p className={classes.none}>empty</p>
  if (kind === 'tool_arguments') {
    const asked = shapeOf(name, parsed(text) ?? text)
    if (asked !== null) return <Asked shape={asked} />
  }
  if (shape !== null && answers.has(kind)) return <Answered shape={shape} text={text} label={label} />
  if (prose.has(kind) && media === 'text')
    return <Prose text={text} breaks={kind === 'user' || kind === 'reply'} />
  return <PlainValue text={text} media={media} label={label} />
}

interface ValueProps {
  message: Message
  label: string
  /** Of the call that it answers. */
  shape: Shape | null
}

const answers: ReadonlySet<Message['kind']> = new Set(['tool_output', 'tool_result'])
const prose: ReadonlySet<Message['kind']> = new Set(['user', 'assistant', 'thinking', 'reply', 'system'])
