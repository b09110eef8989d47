import type { Schemas } from '../../api/client'
import { SpanStatus } from '../../components/spanstatus'
import { duration } from '../../format/duration'
import { counted } from '../../format/numbers'
import { MomentLink } from '../moment'
import { stateAt, withDescendants } from '../timeline/span'
import classes from './run.module.css'

type Span = Schemas['Span']

/** Where a run begins. */
export function RunBegin({ span, number, started }: { span: Span; number: number; started: string }) {
  return (
    <div className={classes.line} data-edge="begin">
      <h2 className={classes.name}>{nameOf(span, number)}</h2>
      {span.agent !== '' && <span className={classes.fact}>{span.agent}</span>}
      <span className={classes.rule} />
      <MomentLink ms={span.start_ms} started={started} />
    </div>
  )
}

/** Where a run ends: how, after what time, and with which tokens. */
export function RunEnd({
  span,
  number,
  said,
  at,
  started,
}: {
  span: Span
  number: number
  /** A message above says the error. */
  said: boolean
  at: number
  started: string
}) {
  const models = new Set<string>()
  let tokens = 0
  for (const { model, tokens: used } of withDescendants([span])) {
    if (model !== null && model !== '') models.add(model)
    tokens += used?.total ?? 0
  }
  return (
    <div className={classes.ending}>
      <div className={classes.line}>
        <span className={classes.fact}>
          {nameOf(span, number)}
          {span.status !== 'unclosed' && ' ended'}
        </span>
        <SpanStatus state={stateAt(span, at)} />
        <span className={classes.fact}>{duration(at - span.start_ms)}</span>
        {tokens > 0 && <span className={classes.fact}>{counted(tokens, 'token')}</span>}
        {models.size > 0 && <span className={classes.fact}>{[...models].join(', ')}</span>}
        <span className={classes.rule} />
        <MomentLink ms={at} started={started} />
      </div>
      {span.error !== null && span.error !== '' && !said && <p className={classes.error}>{span.error}</p>}
    </div>
  )
}

function nameOf(span: Span, number: number): string {
  if (number > 0) return `Run ${number}`
  return span.name === '' ? 'A run inside' : `Run of ${span.name}`
}
