import { CloseButton } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client'
import { JsonTree } from '../../components/jsontree'
import { LongText } from '../../components/longtext'
import { SpanStatus } from '../../components/spanstatus'
import { Time } from '../../components/time'
import { duration } from '../../format/duration'
import { count } from '../../format/numbers'
import { MomentLink } from '../moment'
import { usePlayerState } from '../player/context'
import classes from './detail.module.css'
import { KindIcon, kindName } from './kind'
import { askedAt, stateAt } from './span'

type Span = Schemas['Span']

/** All that is known of a span. */
export function SpanDetail({ span, started, onClose }: { span: Span; started: string; onClose: () => void }) {
  const asked = askedAt(span, started)
  const state = usePlayerState(({ offset }) => stateAt(span, offset, asked))
  return (
    <aside className={classes.detail} aria-label={`${kindName(span.kind)} ${span.name}`}>
      <header className={classes.head}>
        <KindIcon kind={span.kind} />
        <h2 className={classes.title}>{span.name === '' ? kindName(span.kind) : span.name}</h2>
        <SpanStatus state={state} />
        <span style={{ flex: 1 }} />
        <CloseButton size="sm" aria-label="Close the details" onClick={onClose} />
      </header>
      {span.error !== null && span.error !== '' && (
        <div className={classes.error}>
          <LongText text={span.error} label="Error" />
        </div>
      )}
      <dl className={classes.facts}>
        <Fact name="Began">
          <MomentLink ms={span.start_ms} started={started} /> <Time at={span.started} />
        </Fact>
        <Fact name={span.open ? 'Open for' : 'Took'}>{lasted(span)}</Fact>
        {span.reported_ms !== null && <Fact name="By its source">{duration(span.reported_ms)}</Fact>}
        {span.first_token_ms !== null && (
          <Fact name="First output after">{duration(span.first_token_ms)}</Fact>
        )}
        {span.model !== null && span.model !== '' && <Fact name="Model">{span.model}</Fact>}
        {span.provider !== null && span.provider !== '' && <Fact name="Provider">{span.provider}</Fact>}
        {span.agent !== '' && <Fact name="Agent">{span.agent}</Fact>}
        {span.call_id !== '' && <Fact name="Call">{span.call_id}</Fact>}
        {span.node_id !== '' && <Fact name="Step">{span.node_id}</Fact>}
        {span.run_id !== '' && <Fact name="Run">{span.run_id}</Fact>}
        {span.tokens !== null && <Tokens tokens={span.tokens} />}
      </dl>
      {span.usage.some(({ discrepancy }) => discrepancy) && (
        <p className={classes.note}>The total that the source states is not the sum of its parts.</p>
      )}
      {span.attributes !== null && (
        <Section title="What else the source tells">
          <JsonTree value={span.attributes} label="Attributes" />
        </Section>
      )}
      {span.usage.map((usage) => (
        <Section key={usage.id} title="Usage as it was told">
          <JsonTree value={usage.raw} label="Usage" />
        </Section>
      ))}
    </aside>
  )
}

function lasted(span: Span): string {
  const ms = span.duration_ms ?? span.open_ms
  return ms === null ? 'not known' : duration(ms)
}

function Tokens({ tokens }: { tokens: Schemas['Tokens'] }) {
  const buckets: [string, number][] = [
    ['Input', tokens.input],
    ['Cache read', tokens.cache_read],
    ['Cache write', tokens.cache_write_5m + tokens.cache_write_1h],
    ['Output', tokens.output],
    ['Reasoning', tokens.reasoning],
  ]
  return (
    <Fact name="Tokens">
      {count(tokens.total)}
      <span className={classes.buckets}>
        {buckets
          .filter(([, n]) => n !== 0)
          .map(([name, n]) => `${name.toLowerCase()} ${count(n)}`)
          .join(', ')}
      </span>
    </Fact>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.section}>
      <h3>{title}</h3>
      {children}
    </section>
  )
}
