import { Button, Text, Title, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { count, counted } from '../format/numbers'
import { isTaken } from '../session/player/keys'
import { blocksOf, nextDifference } from './blocks'
import { looks } from './looks'
import type { Comparison, Pair } from './queries'
import { Row } from './row'
import classes from './rows.module.css'

/** How many blocks are drawn before one asks for more. */
const page = 300

/** The steps of both sessions in two columns. N and P go to the next and the previous difference. */
export function Rows({ comparison, pair }: { comparison: Comparison; pair: Pair }) {
  const { steps, summary, ignored } = comparison
  const [unfolded, unfold] = useState<ReadonlySet<number>>(new Set())
  const [shown, show] = useState(page)
  const [current, setCurrent] = useState<number | null>(null)
  const blocks = useMemo(() => blocksOf(steps, unfolded), [steps, unfolded])
  const list = useRef<HTMLDivElement>(null)
  const longest = useMemo(
    () => Math.max(0, ...steps.flatMap(({ a, b }) => [a, b].map((step) => step?.duration_ms ?? 0))),
    [steps],
  )
  const to = (back: boolean) => {
    const next = nextDifference(steps, current, back)
    if (next === undefined) return
    const at = blocks.findIndex((block) => 'row' in block && block.row.index === next.index)
    if (at >= shown) show(at + page)
    setCurrent(next.index)
  }
  useEffect(() => {
    if (current === null) return
    const row = list.current?.querySelector<HTMLElement>(`#row-${current} button`)
    row?.focus({ preventScroll: true })
    row?.scrollIntoView({ block: 'center' })
  }, [current])
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (isTaken(event) || !['n', 'p'].includes(event.key)) return
      event.preventDefault()
      to(event.key === 'p')
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  })
  if (steps.length === 0) return null
  return (
    <section aria-label="Steps">
      <div className={classes.bar}>
        <Title order={2} size="h5">
          Steps
        </Title>
        <Text size="sm" c="dimmed" className={classes.counts ?? ''}>
          {(Object.keys(looks) as (keyof typeof looks)[])
            .filter((name) => (summary.classes[name] ?? 0) > 0)
            .map((name) => `${count(summary.classes[name] ?? 0)} ${looks[name].count}`)
            .join(', ')}
          {summary.resynchronised > 0 && `; the same again ${counted(summary.resynchronised, 'time')}`}
        </Text>
        <Button.Group ml="auto">
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => to(true)}
            aria-label="Previous difference"
            title="Previous difference (P)"
          >
            <IconChevronUp size={14} /> P
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => to(false)}
            aria-label="Next difference"
            title="Next difference (N)"
          >
            <IconChevronDown size={14} /> N
          </Button>
        </Button.Group>
      </div>
      <div className={classes.list} ref={list}>
        <div className={classes.heads} aria-hidden>
          <span>A</span>
          <span />
          <span>B</span>
        </div>
        {blocks.slice(0, shown).map((block) =>
          'row' in block ? (
            <Row
              key={block.row.index}
              row={block.row}
              pair={pair}
              longest={longest}
              focused={block.row.index === current}
            />
          ) : (
            <UnstyledButton
              key={`same ${block.same[0]?.index}`}
              className={classes.same ?? ''}
              aria-expanded={false}
              onClick={() => unfold(new Set([...unfolded, block.same[0]?.index ?? -1]))}
            >
              {counted(block.same.length, 'step')} the same
            </UnstyledButton>
          ),
        )}
        {blocks.length > shown && (
          <UnstyledButton className={classes.same ?? ''} onClick={() => show(shown + page)}>
            {count(blocks.length - shown)} more
          </UnstyledButton>
        )}
      </div>
      {ignored.length > 0 && (
        <Text size="xs" c="dimmed" mt="xs">
          Not compared: {ignored.map(({ rule, count: n }) => counted(n, rules[rule])).join(', ')}. “Ids and
          times, too” compares them.
        </Text>
      )}
    </section>
  )
}

const rules = { uuid: 'UUID', id: 'id', time: 'time', duration: 'measured duration' }
