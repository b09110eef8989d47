import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import type { Schemas } from '../../api/client'
import { ProblemAlert } from '../../components/problem'
import { reported } from '../../format/reported'
import { bytes, count, counted, exactMoney, money } from '../../format/numbers'
import { reasonText } from '../../format/unpriced'
import { bucketColours } from '../../components/colours'
import { timelineQuery } from '../queries'
import { buckets, byModel, byTool, callsOf, countedOf, pricedTokens } from './calls'
import { CallsTable } from './callstable'
import { CostSection } from './costsection'
import { costSteps, together } from './costs'
import { Discrepancies } from './discrepancies'
import { ModelsTable } from './modelstable'
import { StreamsTable } from './streamstable'
import { TimeSection } from './timesection'
import { ToolsTable } from './toolstable'
import classes from './totals.module.css'

const LimitsTable = lazy(() => import('./limitstable'))

type Session = Schemas['SessionDetail']
type Money = Schemas['Money']

/** What the session used in all, whatever the player's moment; and what does not add up. */
export function Totals({ session }: { session: Session }) {
  const timeline = useQuery(timelineQuery(session.id))
  const calls = useMemo(() => timeline.data && callsOf(timeline.data), [timeline.data])
  const sums = useMemo(() => calls && countedOf(calls), [calls])
  const models = useMemo(() => sums && byModel(sums), [sums])
  const costs = useMemo(() => sums && together(sums.map((call) => call.costs)), [sums])
  const steps = useMemo(() => timeline.data && costSteps(timeline.data), [timeline.data])
  const tools = useMemo(() => timeline.data && byTool(timeline.data), [timeline.data])
  return (
    <div className={classes.view}>
      <Figures session={session} duplicates={(calls?.length ?? 0) - (sums?.length ?? 0)} />
      <Discrepancies session={session} />
      {timeline.error !== null && timeline.data === undefined && (
        <ProblemAlert error={timeline.error} again={() => void timeline.refetch()} />
      )}
      {timeline.isPending && (
        <Stack gap={10} role="status" aria-busy="true" aria-label="Loading the calls">
          <Skeleton height={90} />
          <Skeleton height={60} />
        </Stack>
      )}
      {sums !== undefined && costs !== undefined && steps !== undefined && (
        <CostSection steps={steps} costs={costs} tokens={pricedTokens(sums)} />
      )}
      {models !== undefined && <ModelsTable models={models} />}
      {calls !== undefined && <CallsTable calls={calls} started={session.started} />}
      {timeline.data !== undefined && <TimeSection timeline={timeline.data} />}
      {tools !== undefined && <ToolsTable tools={tools} started={session.started} />}
      {session.limits.length > 0 && (
        <Suspense fallback={null}>
          <LimitsTable limits={session.limits} />
        </Suspense>
      )}
      <StreamsTable streams={session.streams} />
    </div>
  )
}

function Figures({ session, duplicates }: { session: Session; duplicates: number }) {
  const { tokens, cost, unpriced_calls, calls } = session.totals
  return (
    <section aria-label="Tokens and cost">
      <div className={classes.figures}>
        <Figure name="Tokens" value={reported(session.totals) ? count(tokens.total) : '–'} />
        <Figure
          name="Cost"
          value={cost !== null ? money(cost) : calls === 0 && duplicates > 0 ? '–' : 'not known'}
          hint={cost === null ? undefined : exactMoney(cost)}
          note={costNote(cost, calls, duplicates, unpriced_calls, session.models.length > 0)}
        />
        <Figure name="Frames" value={count(session.totals.frames)} note={bytes(session.totals.bytes)} />
      </div>
      <Unpriced reasons={session.totals.unpriced_reasons ?? []} />
      {tokens.total > 0 && <Parts tokens={tokens} />}
    </section>
  )
}

/** Why there is no cost, or not all of it. */
function costNote(
  cost: Money | null,
  calls: number,
  duplicates: number,
  unpriced: number,
  named: boolean,
): string {
  if (calls === 0 && duplicates > 0) return `${counted(duplicates, 'call')} counted in recorded streams`
  if (calls === 0) return 'no call reported its usage'
  if (unpriced === 0) return ''
  if (!named) return 'the source does not say which models it called'
  if (cost === null) return 'no call has a cost'
  return `without ${count(unpriced)} of ${count(calls)} calls, which have no price`
}

/** The calls that the cost does not include, by model, with the reason. */
function Unpriced({ reasons }: { reasons: readonly Schemas['UnpricedCalls'][] }) {
  if (reasons.length === 0) return null
  return (
    <ul className={classes.unpriced} aria-label="Without a cost">
      {reasons.map(({ reason, model, calls }) => (
        <li key={`${reason} ${model ?? ''}`}>
          {calls === 0 ? 'Usage' : counted(calls, 'call')} {model === null ? '' : `of ${model} `}without a
          cost: {reasonText(reason)}
        </li>
      ))}
    </ul>
  )
}

function Figure({
  name,
  value,
  hint,
  note = '',
}: {
  name: string
  value: string
  hint?: string | undefined
  note?: string
}) {
  return (
    <div className={classes.figure}>
      <span className={classes.label}>{name}</span>
      <span className={classes.value} title={hint}>
        {value}
      </span>
      {note !== '' && <span className={classes.label}>{note}</span>}
    </div>
  )
}

/** How the tokens divide into their buckets. */
function Parts({ tokens }: { tokens: Schemas['Tokens'] }) {
  const parts = buckets.filter(({ key }) => tokens[key] > 0)
  return (
    <>
      <div className={classes.parts} aria-hidden>
        {parts.map(({ key }) => (
          <span key={key} style={{ flexGrow: tokens[key], background: bucketColours[key] }} />
        ))}
      </div>
      <dl className={classes.legend}>
        {parts.map(({ key, name, about }) => (
          <div key={key} title={about}>
            <dt>
              <i style={{ background: bucketColours[key] }} aria-hidden />
              {name}
            </dt>
            <dd>{count(tokens[key])}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
