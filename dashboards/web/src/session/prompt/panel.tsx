import { UnstyledButton } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client'
import { Copy } from '../../components/copy'
import { JsonTree } from '../../components/json/tree'
import { LongText } from '../../components/longtext'
import { Prose } from '../../components/markdown/prose'
import { counted } from '../../format/numbers'
import { Parts, partsOf } from '../pictures/parts'
import { type Prompt, type Said, textOf, type Tool } from './prompt'
import classes from './panel.module.css'
import { promptQuery } from './queries'
import { statedBefore, toolsOffered } from './stated'

type Message = Schemas['Message']

/**
 * What a model call was asked: its system prompt, the tools offered, the conversation, and its settings, each folded.
 * They are read from the request's frame; of a recording without requests the prompt that its source states.
 */
export function PromptPanel(props: { session: string; span: Schemas['Span']; messages: readonly Message[] }) {
  const { session, span, messages } = props
  const { data, isPending } = useQuery(promptQuery(session, span.position))
  if (isPending) return null
  if (data != null) return <Asked prompt={data} />
  const stated = statedBefore(span, messages)
  if (stated.system === null && stated.tools === null) return null
  return (
    <section className={classes.panel} aria-label="Prompt">
      {stated.system !== null && <System text={stated.system.text} />}
      {stated.tools !== null && (
        <Fold title="Tools offered" size={String(toolsOffered(stated.tools))}>
          <LongText text={stated.tools.text.replace(/^[^\n]*\n/, '')} label="Tools offered" />
        </Fold>
      )}
    </section>
  )
}

function Asked({ prompt: { system, tools, messages, settings } }: { prompt: Prompt }) {
  const others = Object.keys(settings).length
  return (
    <section className={classes.panel} aria-label="Prompt">
      {system !== '' && <System text={system} />}
      {tools.length > 0 && (
        <Fold title="Tools offered" size={String(tools.length)}>
          <ul className={classes.tools}>
            {tools.map((tool, i) => (
              <Offered key={i} tool={tool} />
            ))}
          </ul>
        </Fold>
      )}
      {messages.length > 0 && (
        <Fold title="Conversation sent" size={counted(messages.length, 'message')}>
          <Conversation messages={messages} />
        </Fold>
      )}
      {others > 0 && (
        <Fold title="Settings" size={brief(settings)}>
          <JsonTree value={settings} label="Settings" open={2} />
        </Fold>
      )}
    </section>
  )
}

/** The settings that are plain values, in a line. */
function brief(settings: Record<string, unknown>): string {
  return Object.entries(settings)
    .filter(([name, value]) => name !== 'model' && ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => `${name} ${String(value)}`)
    .slice(0, 4)
    .join(', ')
}

function System({ text }: { text: string }) {
  return (
    <Fold title="System prompt" size={counted(text.length, 'character')} copy={text}>
      <Prose text={text} breaks />
    </Fold>
  )
}

function Offered({ tool: { name, description, rest } }: { tool: Tool }) {
  const [open, setOpen] = useState(false)
  return (
    <li>
      <UnstyledButton className={classes.tool} aria-expanded={open} onClick={() => setOpen(!open)}>
        <IconChevronRight size={12} aria-hidden />
        <code>{name}</code>
        {!open && <span className={classes.about}>{description}</span>}
      </UnstyledButton>
      {open && (
        <div className={classes.offered}>
          {description !== '' && <LongText text={description} label={`Description of ${name}`} />}
          <JsonTree value={rest} label={name} open={3} />
        </div>
      )}
    </li>
  )
}

/** How many messages are shown before one asks for the rest: the last ones are what is new. */
const last = 20

function Conversation({ messages }: { messages: readonly Said[] }) {
  const [all, setAll] = useState(false)
  const from = all ? 0 : Math.max(0, messages.length - last)
  return (
    <ol className={classes.messages}>
      {from > 0 && (
        <li>
          <UnstyledButton className={classes.more} onClick={() => setAll(true)}>
            Show {counted(from, 'earlier message')}
          </UnstyledButton>
        </li>
      )}
      {messages.slice(from).map(({ role, content }, i) => (
        <li key={from + i}>
          <span className={classes.role}>{role}</span>
          <Content content={content} />
        </li>
      ))}
    </ol>
  )
}

function Content({ content }: { content: unknown }) {
  const text = textOf(content)
  const parts = partsOf(content)
  if (parts !== null) return <Parts parts={parts} label="Content" />
  if (typeof content === 'string' || (text !== '' && isText(content)))
    return <LongText text={text} label="Content" />
  return <JsonTree value={content} label="Content" open={3} />
}

/** Whether a content has texts alone. */
function isText(content: unknown): boolean {
  return Array.isArray(content) && content.every((part) => typeof part === 'string' || textOf(part) !== '')
}

function Fold(props: { title: string; size: string; copy?: string; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  return (
    <div className={classes.fold}>
      <div className={classes.line}>
        <UnstyledButton className={classes.head} aria-expanded={open} onClick={() => setOpen(!open)}>
          <IconChevronRight size={13} aria-hidden />
          <span className={classes.title}>{props.title}</span>
          <span className={classes.size}>{props.size}</span>
        </UnstyledButton>
        {open && props.copy !== undefined && (
          <Copy text={props.copy} what={`Copy the ${props.title.toLowerCase()}`} />
        )}
      </div>
      {open && <div className={classes.body}>{props.children}</div>}
    </div>
  )
}
