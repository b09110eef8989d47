import { Anchor, Badge, Text, Title } from '@mantine/core'
import { useRef, type KeyboardEvent } from 'react'
import { Link } from 'wouter'
import { Time } from '../components/time'
import { duration } from '../format/duration'
import { counted } from '../format/numbers'
import { groupsOf, momentOf, speakerOf, type Group } from './groups'
import classes from './hits.module.css'
import type { Hit } from './queries'

/** Hits by session, each a link to its moment. The arrow keys lead from one to the next. */
export function Hits({ hits, stale }: { hits: readonly Hit[]; stale: boolean }) {
  const list = useRef<HTMLDivElement>(null)
  return (
    <div
      ref={list}
      className={stale ? classes.stale : undefined}
      aria-busy={stale}
      onKeyDown={(event) => move(event, list.current)}
    >
      {groupsOf(hits).map((group) => (
        <SessionHits key={group.session} group={group} />
      ))}
    </div>
  )
}

/** Moves the focus to the first hit of a list. */
export function focusFirstHit(): boolean {
  const first = document.querySelector<HTMLElement>('a[data-hit]')
  first?.focus()
  return first !== null
}

function move(event: KeyboardEvent, list: HTMLElement | null) {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key]
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || list === null) return
  const links = [...list.querySelectorAll<HTMLElement>('a[data-hit]')]
  const next = links[links.findIndex((link) => link === document.activeElement) + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
  next.scrollIntoView({ block: 'nearest' })
}

function SessionHits({ group }: { group: Group }) {
  return (
    <section className={classes.group} aria-label={`Session ${group.session}`}>
      <div className={classes.head}>
        <Title order={2} size="h6" className={classes.title}>
          <Anchor component={Link} href={`/sessions/${encodeURIComponent(group.session)}`} inherit>
            {group.title === '' ? group.session : group.title}
          </Anchor>
        </Title>
        <Text size="xs" c="dimmed" className={classes.about}>
          {group.title === '' ? '' : `${group.session} · `}
          <Time at={group.started} /> · {counted(group.hits.length, 'hit')}
        </Text>
      </div>
      <ul className={classes.list}>
        {group.hits.map((hit) => (
          <li key={`${hit.kind} ${hit.id} ${hit.stream_id}`}>
            <Link href={momentOf(hit)} className={classes.hit} data-hit>
              <span className={classes.said}>
                <Badge
                  size="sm"
                  radius="sm"
                  variant="light"
                  color={hit.kind === 'error' ? 'red' : 'gray'}
                  tt="none"
                >
                  {speakerOf(hit)}
                </Badge>
                <span className={classes.offset}>+{duration(hit.offset_ms)}</span>
                {!hit.complete && <span className={classes.offset}>still grows</span>}
                {hit.matches > 1 && (
                  <span className={classes.offset}>{counted(hit.matches, 'match', 'matches')}</span>
                )}
              </span>
              <span className={classes.snippet} dir="auto">
                {hit.snippet.map((part, i) =>
                  part.match ? <mark key={i}>{part.text}</mark> : <span key={i}>{part.text}</span>,
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
