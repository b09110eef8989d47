import { Table } from '@mantine/core'
import { useCallback, useMemo, useRef } from 'react'
import type { Schemas } from '../../api/client'
import { clock } from '../../format/duration'
import { count, exactMoney, money, percent, type Amount } from '../../format/numbers'
import { useShown, usePlayerState } from '../player/context'
import type { PlayerState } from '../player/player'
import { CostCurve } from './costcurve'
import classes from './cost.module.css'
import { shares, stepAt, type Costs, type CostStep } from './costs'
import { Section } from './section'

/** What the session cost: how that grew up to the player's moment, and of what it consists. */
export function CostSection({
  steps,
  costs,
  tokens,
}: {
  steps: readonly CostStep[]
  costs: Costs
  tokens: Schemas['Tokens']
}) {
  const { cost } = costs
  if (cost === null) return null
  return (
    <>
      <section aria-label="Cost over time">
        <CostSoFar steps={steps} total={cost} />
        <CostCurve steps={steps} />
      </section>
      <SharesTable costs={costs} total={cost} tokens={tokens} />
    </>
  )
}

function CostSoFar({ steps, total }: { steps: readonly CostStep[]; total: Amount }) {
  const so = usePlayerState(({ offset }) => stepAt(steps, offset)?.total.amount ?? '0')
  const at = useRef<HTMLSpanElement>(null)
  const show = useCallback(({ offset }: PlayerState) => {
    if (at.current !== null) at.current.textContent = clock(offset, false)
  }, [])
  useShown(show)
  const amount = { ...total, amount: so }
  return (
    <p className={classes.sofar}>
      <span title={exactMoney(amount)}>
        <b>{money(amount)}</b> until <span ref={at} />
      </span>{' '}
      <span className={classes.quiet}>of {money(total)}</span>
    </p>
  )
}

/** The cost by bucket of tokens, and of what is not charged by tokens. */
function SharesTable({ costs, total, tokens }: { costs: Costs; total: Amount; tokens: Schemas['Tokens'] }) {
  const parts = useMemo(() => shares.filter(({ key }) => costs.shares[key] !== undefined), [costs])
  if (parts.length === 0) return null
  return (
    <Section title="Cost by bucket">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Bucket</Table.Th>
          <Table.Th data-number>Tokens</Table.Th>
          <Table.Th data-number>Cost</Table.Th>
          <Table.Th data-number>Share</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {parts.map(({ key, name }) => {
          const amount = { amount: costs.shares[key] ?? '0', currency: total.currency }
          return (
            <Table.Tr key={key}>
              <Table.Td>{name}</Table.Td>
              <Table.Td data-number>{isBucket(key) ? count(tokens[key]) : '–'}</Table.Td>
              <Table.Td data-number title={exactMoney(amount)}>
                {money(amount)}
              </Table.Td>
              <Table.Td data-number>{percent(shareOf(amount, total))}</Table.Td>
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </Section>
  )
}

function isBucket(key: string): key is Exclude<keyof Schemas['Tokens'], 'total'> {
  return key !== 'calls' && key !== 'web_searches' && key !== 'code_executions'
}

function shareOf(part: Amount, total: Amount): number {
  return Number(total.amount) === 0 ? 0 : Number(part.amount) / Number(total.amount)
}
