import { IconTool } from '@tabler/icons-react'
import { type ReactNode, useMemo } from 'react'
import type { Schemas } from '../../api/client'
import { Copy } from '../../components/copy'
import { LongText } from '../../components/longtext'
import { RevealContext } from '../../components/reveal'
import { SpanStatus } from '../../components/spanstatus'
import { Terminal } from '../../components/terminal/terminal'
import { duration } from '../../format/duration'
import { useRevealed } from '../find/context'
import { MomentLink } from '../moment'
import { useOpenState } from '../openstate'
import { imageCount, Pictures } from '../pictures/pictures'
import { usePlayerState } from '../player/context'
import { askedAt, endOf, stateAt } from '../timeline/span'
import { CutOff } from './cutoff'
import { growthOf, lengthAt } from './growth'
import type { ToolCall } from './items'
import { parsed } from './json'
import { headline, type Shape, shapeOf } from './shapes'
import classes from './tool.module.css'
import { Answered, Asked, PlainValue } from './toolvalue'

type Message = Schemas['Message']
type Span = Schemas['Span']

/** A tool call as it stood at the player's moment: what it was asked, for how long it ran, what came back. */
export function ToolCard({ call, from, started }: { call: ToolCall; from: number; started: string }) {
  const { span } = call
  const failed = usePlayerState(({ offset }) => span !== null && isFailure(stateAt(span, offset)))
  const name = call.name === '' ? 'A tool' : call.name
  const [asked] = call.arguments
  const whole = usePlayerState(({ offset }) => asked !== undefined && isWhole(asked, offset))
  const args = useMemo(
    () => (asked !== undefined && whole ? (parsed(asked.text) ?? asked.text) : null),
    [asked, whole],
  )
  const shape = useMemo(() => shapeOf(call.name, args), [call.name, args])
  const about = useMemo(() => headline(call.name, args), [call.name, args])
  return (
    <article className={classes.card} data-failed={failed} aria-label={`Tool call: ${name}`}>
      <header className={classes.head}>
        <IconTool size={15} className={classes.icon} aria-hidden />
        <span className={classes.name}>{name}</span>
        {about !== '' && <span className={classes.about}>{about}</span>}
        {span !== null && <Progress span={span} started={started} />}
        <span className={classes.gap} />
        <MomentLink ms={from} started={started} />
      </header>
      {call.arguments.map((message) => (
        <Part
          key={message.id}
          title="Arguments"
          message={message}
          bare
          as={shape && <Asked shape={shape} />}
        />
      ))}
      {call.output.map((message) => (
        <Part key={message.id} title="Output" message={message} shape={shape} />
      ))}
      {call.result.map((message) => (
        <Part
          key={message.id}
          title={failed ? 'Error' : 'Result'}
          message={message}
          shape={shape}
          call={span?.call_id ?? ''}
        />
      ))}
      {failed &&
        span?.error != null &&
        !call.result.some(({ text }) => text.startsWith(span.error ?? '')) && (
          <Section title="Error">
            <LongText text={span.error} label="Error" />
          </Section>
        )}
    </article>
  )
}

function isFailure(state: ReturnType<typeof stateAt>): boolean {
  return state === 'error' || state === 'rejected'
}

/** How a call stood, and for how long it had run, ticking while it does. */
function Progress({ span, started }: { span: Span; started: string }) {
  const asked = useMemo(() => askedAt(span, started), [span, started])
  const state = usePlayerState(({ offset }) => stateAt(span, offset, asked))
  const open = useOpenState()
  const since = state === 'waiting' && asked !== null ? asked : span.start_ms
  // Tenths of a second while it runs: often enough to be seen running.
  const ran = usePlayerState(({ offset }) => {
    const end = endOf(span)
    return end !== null && offset >= end ? end - since : Math.max(0, Math.floor((offset - since) / 100) * 100)
  })
  return (
    <>
      {state !== 'ok' && <SpanStatus state={state === 'running' ? open : state} />}
      {state !== 'before' && <span className={classes.time}>{duration(ran)}</span>}
    </>
  )
}

/** Whether all of a message had arrived at a moment. */
function isWhole(message: Message, offset: number): boolean {
  return lengthAt(growthOf(message), offset) === message.text.length
}

interface PartProps {
  title: string
  message: Message
  /** It needs no title. */
  bare?: boolean
  /** How it is shown once it is whole. */
  as?: ReactNode
  /** The shape of what it answers. */
  shape?: Shape | null
  /** The id of the call that it answers, as frames name it. */
  call?: string
}

/** One of the texts of a call, from when it had begun to arrive. */
function Part({ title, message, bare = false, as, shape = null, call = '' }: PartProps) {
  const growth = growthOf(message)
  const length = usePlayerState(({ offset }) => lengthAt(growth, offset))
  const there = usePlayerState(({ offset }) => offset >= message.start_ms)
  const whole = length === message.text.length
  const revealed = useRevealed(message.id)
  // Of what is still to come there is nothing to show but that.
  if (!there || (length === 0 && !(whole && message.complete))) return null
  const text = message.text.slice(0, length)
  return (
    <Section title={title} bare={bare && text !== ''} copy={text} message={message.id}>
      {text === '' ? (
        imageCount(message) === 0 && <p className={classes.none}>empty</p>
      ) : (
        <RevealContext value={revealed}>
          <Value whole={whole} as={as} shape={shape} message={message} text={text} label={title} />
        </RevealContext>
      )}
      {whole && <Pictures message={message} call={call} />}
      {whole && <CutOff message={message} />}
    </Section>
  )
}

function Section(props: {
  title: string
  bare?: boolean
  copy?: string
  message?: string
  children: ReactNode
}) {
  return (
    <div className={classes.part} role="group" aria-label={props.title} data-message={props.message}>
      {props.bare !== true && <div className={classes.title}>{props.title}</div>}
      <div className={classes.value}>{props.children}</div>
      {props.copy !== undefined && props.copy !== '' && (
        <div className={classes.copy}>
          <Copy text={props.copy} what={`Copy the ${props.title.toLowerCase()}`} />
        </div>
      )}
    </div>
  )
}

function Value(
  props: Pick<PartProps, 'as' | 'shape' | 'message'> & { whole: boolean; text: string; label: string },
) {
  const { whole, as, shape, message, text, label } = props
  if (!whole)
    return text.includes('\x1b[') ? (
      <Terminal text={text} label={label} />
    ) : (
      <LongText text={text} label={label} />
    )
  if (as != null) return as
  if (shape != null) return <Answered shape={shape} text={text} label={label} />
  return <PlainValue text={text} media={message.media} label={label} />
}
