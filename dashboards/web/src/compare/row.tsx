import { Anchor, Badge, UnstyledButton } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { duration } from '../format/duration'
import { compact } from '../format/numbers'
import { Detail } from './detail'
import { Letter } from './letter'
import { looks, stepName } from './looks'
import { stepAddress, type ComparedStep, type Pair, type StepOf } from './queries'
import classes from './rows.module.css'
import { signed } from './sides'
import { TimeBar, timeParts } from './timebar'

/** A step of A beside one of B. It opens to what differs in it. */
export function Row({
  row,
  pair,
  longest,
  focused,
}: {
  row: ComparedStep
  pair: Pair
  /** The longest step of both sessions, ms. */
  longest: number
  focused: boolean
}) {
  const [open, setOpen] = useState(false)
  const { kind, name } = stepName(row)
  const look = looks[row.class]
  return (
    <div
      id={`row-${row.index}`}
      className={classes.row}
      data-class={row.class}
      data-current={focused || undefined}
      data-resynchronised={row.resynchronised || undefined}
    >
      <UnstyledButton
        className={classes.line ?? ''}
        aria-expanded={open}
        aria-label={`${look.name}: ${kind} ${name}`}
        onClick={() => setOpen(!open)}
      >
        <Side side="a" step={row.a} row={row} longest={longest} />
        <span className={classes.middle}>
          {row.class === 'matched' ? (
            <span className={classes.equal} title={look.why}>
              =
            </span>
          ) : (
            <Badge
              size="sm"
              radius="sm"
              tt="none"
              variant="light"
              color={look.color}
              title={look.why}
              className={classes.badge ?? ''}
            >
              {look.name}
            </Badge>
          )}
          {row.difference?.duration_ms != null && Math.abs(row.difference.duration_ms) >= 1 && (
            <span className={classes.more}>{signed(row.difference.duration_ms, duration)}</span>
          )}
          {row.resynchronised && <span className={classes.resync}>the same again</span>}
        </span>
        <Side side="b" step={row.b} row={row} longest={longest} />
      </UnstyledButton>
      {open && (
        <div className={classes.open}>
          <p className={classes.facts}>
            {(['a', 'b'] as const).map((side) => {
              const step = row[side]
              return (
                step !== null && (
                  <Anchor key={side} component={Link} href={stepAddress(pair[side], step)} size="xs">
                    Open in {side.toUpperCase()} at +{duration(step.start_ms)}
                  </Anchor>
                )
              )
            })}
            {row.difference !== null &&
              timeParts
                .map(({ name, of }) => ({ name, ms: of(row.difference?.time ?? nothing) }))
                .filter(({ ms }) => ms !== null && ms !== 0)
                .map(({ name, ms }) => (
                  <span key={name}>
                    {name} {signed(ms, duration)}
                  </span>
                ))}
            {row.difference?.tokens != null && row.difference.tokens !== 0 && (
              <span>Tokens {signed(row.difference.tokens, compact)}</span>
            )}
          </p>
          <Detail pair={pair} row={row} />
        </div>
      )}
    </div>
  )
}

const nothing = { waiting_ms: null, first_token_ms: null, generation_ms: null, tool_ms: null }

function Side({
  side,
  step,
  row,
  longest,
}: {
  side: 'a' | 'b'
  step: StepOf | null
  row: ComparedStep
  longest: number
}) {
  if (step === null) return <span className={classes.missing} />
  const { kind, name } = stepName(row)
  const failed = step.status === 'error' || step.error !== ''
  return (
    <span className={classes.side} style={{ paddingInlineStart: `${Math.min(row.depth, 8) * 16 + 4}px` }}>
      <span className={classes.head}>
        <IconChevronRight className={classes.chevron} size={12} aria-hidden />
        {row.class !== 'matched' && <Letter side={side} className={classes.letter} />}
        <span className={classes.kind}>{kind}</span> <strong className={classes.name}>{name}</strong>
        {failed && <span className={classes.failed}>failed</span>}
        <span className={classes.when}>
          +{duration(step.start_ms)}
          {step.duration_ms !== null && step.duration_ms > 0 && ` · ${duration(step.duration_ms)}`}
          {step.tokens !== null && ` · ${compact(step.tokens.total)} tok`}
        </span>
      </span>
      {step.excerpt !== '' && <span className={classes.excerpt}>{step.excerpt}</span>}
      <TimeBar time={{ ...step.time, waiting_ms: null }} longest={longest} />
    </span>
  )
}
