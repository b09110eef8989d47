import { use, type ReactNode } from 'react'
import type { Schemas } from '../../api/client'
import { JsonTree } from '../../components/json/tree'
import { LongText } from '../../components/longtext'
import { SpanStatus } from '../../components/spanstatus'
import { Time } from '../../components/time'
import { duration } from '../../format/duration'
import { count } from '../../format/numbers'
import { Fact, Facts, DetailPane, PaneTitle } from '../detailpane'
import { MomentLink } from '../moment'
import { OpenStateContext } from '../openstate'
import { usePlayerState } from '../player/context'
import { CostCell } from '../totals/costcell'
import { costsOf } from '../totals/costs'
import classes from './detail.module.css'
import { KindIcon, kindName } from './kind'
import { finalState, reachOf } from './span'
import { SpanContent } from './spancontent'
import { SpanFrames } from './spanframes'

type Span = Schemas['Span']

interface Props {
  span: Span
  timeline: Schemas['Timeline']
  onClose: () => void
}

/** All that is known of a span, as it ended, whatever the player's moment is. */
export function SpanDetail({ span, timeline, onClose }: Props) {
  const { started, session_id } = timeline
  // What is open has lasted until the data ends; in seconds, as it is shown.
  const known = usePlayerState((state) => (state.running ? Math.floor(state.known / 1000) * 1000 : null))
  const end = reachOf(span, known)
  const open = use(OpenStateContext)
  const state = finalState(span)
  return (
    <DetailPane
      label={`${kindName(span.kind)} ${span.name}`}
      head={
        <>
          <KindIcon kind={span.kind} />
          <PaneTitle>{span.name === '' ? kindName(span.kind) : span.name}</PaneTitle>
          <SpanStatus state={state === 'running' ? open : state} />
        </>
      }
      close="Close the details"
      onClose={onClose}
    >
      {span.error !== null && span.error !== '' && (
        <div className={classes.error}>
          <LongText text={span.error} label="Error" />
        </div>
      )}
      <Facts>
        <Fact name="Began">
          <MomentLink ms={span.start_ms} started={started} /> <Time at={span.started} />
        </Fact>
        {span.ended !== null && (
          <Fact name="Ended">
            <MomentLink ms={end} started={started} /> <Time at={span.ended} />
          </Fact>
        )}
        <Fact name={span.open ? 'Open for' : 'Took'}>{duration(end - span.start_ms)}</Fact>
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
        {span.usage.length > 0 && (
          <Fact name="Cost">
            <CostCell costs={costsOf(span.usage)} />
          </Fact>
        )}
      </Facts>
      {span.usage.some(({ discrepancy }) => discrepancy) && (
        <p className={classes.note}>The total that the source states is not the sum of its parts.</p>
      )}
      {span.usage.some(({ duplicate }) => duplicate) && (
        <p className={classes.note}>A recorded stream states the same call. Sums have that one.</p>
      )}
      <SpanContent span={span} timeline={timeline} />
      {span.attributes !== null && (
        <Section title="Attributes">
          <JsonTree value={span.attributes} label="Attributes" />
        </Section>
      )}
      {span.usage.map((usage) => (
        <Section key={usage.id} title="Usage as reported">
          <JsonTree value={usage.raw} label="Usage" />
        </Section>
      ))}
      <SpanFrames session={session_id} started={started} span={span} end={end} />
    </DetailPane>
  )
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

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.section}>
      <h3>{title}</h3>
      {children}
    </section>
  )
}
