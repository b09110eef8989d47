import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Schemas } from '../../api/client'
import { Copy } from '../../components/copy'
import { dataUrl, imageOf } from '../../components/images'
import { JsonTree } from '../../components/jsontree'
import { LongText } from '../../components/longtext'
import { ProblemAlert } from '../../components/problem'
import { counted } from '../../format/numbers'
import { CutOff } from '../conversation/cutoff'
import { parsed } from '../conversation/json'
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
  if (content === undefined)
    return transcript.error === null ? null : (
      <ProblemAlert error={transcript.error} again={() => void transcript.refetch()} />
    )
  return (
    <>
      <Texts title={span.kind === 'tool' ? 'Arguments' : 'Input'} messages={content.input} />
      <Texts title={span.kind === 'tool' ? 'Result' : 'Output'} messages={content.output} />
    </>
  )
}

function Texts({ title, messages }: { title: string; messages: readonly Message[] }) {
  const [all, setAll] = useState(false)
  if (messages.length === 0) return null
  const rest = messages.length - first
  const shown = all ? messages : messages.slice(0, first)
  return (
    <section className={classes.section} aria-label={title}>
      <h3>{title}</h3>
      {shown.map((message) => (
        <Text key={message.id} message={message} bare={messages.length === 1} label={title} />
      ))}
      {!all && rest > 0 && (
        <Button size="compact-xs" variant="subtle" onClick={() => setAll(true)}>
          Show {counted(rest, 'more text')}
        </Button>
      )}
    </section>
  )
}

/** A text as a whole. One that stands alone under its title needs no name. */
function Text({ message, bare, label }: { message: Message; bare: boolean; label: string }) {
  const name = message.kind === 'tool_arguments' ? `Call of ${message.name}` : names[message.kind]
  return (
    <div className={classes.text}>
      {!bare && <div className={classes.who}>{name}</div>}
      <div className={classes.value}>
        <div className={classes.copy}>
          <Copy text={message.text} what={`Copy the ${label.toLowerCase()}`} />
        </div>
        <Value message={message} label={label} />
      </div>
      <CutOff message={message} />
    </div>
  )
}

function Value({ message: { text, media }, label }: { message: Message; label: string }) {
  const value = useMemo(() => parsed(text), [text])
  if (text === '') return <p className={classes.none}>empty</p>
  if (value !== undefined) return <JsonTree value={value} label={label} />
  const image = imageOf(text) ?? dataUrl(media, text)
  if (image !== null) return <img className={classes.picture} src={image} alt={`${label}, an image`} />
  return <LongText text={text} label={label} />
}
