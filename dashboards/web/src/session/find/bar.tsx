import { ActionIcon, CloseButton, Text, TextInput, Tooltip } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef } from 'react'
import type { Schemas } from '../../api/client'
import { clock } from '../../format/duration'
import { count } from '../../format/numbers'
import { conversationOf } from '../conversation/items'
import { wideQuery } from '../place'
import { usePlayer } from '../player/context'
import { timelineQuery, transcriptQuery } from '../queries'
import { useGo } from '../useplace'
import classes from './bar.module.css'
import { useFind } from './context'
import { hitsOf, mostHits, nextHit, type Hit } from './hits'
import { useHighlights } from './highlight'

/** A field that finds words in messages and in the timeline, and goes from one place to the next. */
export function FindBar({ session }: { session: Schemas['SessionDetail'] }) {
  const { query } = useFind()
  return query === null ? null : <Bar session={session} query={query} />
}

function Bar({ session, query }: { session: Schemas['SessionDetail']; query: string }) {
  const { hit, search, close, choose } = useFind()
  const player = usePlayer()
  const go = useGo()
  const field = useRef<HTMLInputElement>(null)
  const { hits, hitsNow } = useHits(session.id, query)
  useHighlights(query, hit)
  useEffect(() => {
    const before = document.activeElement
    field.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [])
  const step = (back: boolean) => {
    const next = nextHit(hitsNow(), hit?.key ?? null, player.state().offset, back)
    if (next === undefined) return
    choose(next)
    player.pause()
    if (next.span !== null) go({ tab: 'timeline', span: next.span.id }, 'replace')
    else if (!window.matchMedia(wideQuery).matches) go({ tab: 'conversation' }, 'replace')
    player.seek(next.at)
  }
  const keys = (event: KeyboardEvent) => {
    const back = event.key === 'ArrowUp' || (event.key === 'Enter' && event.shiftKey)
    if (event.key === 'Escape') close()
    else if (['Enter', 'ArrowDown', 'ArrowUp'].includes(event.key)) step(back)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const at = hit === null ? -1 : hits.findIndex(({ key }) => key === hit.key)
  return (
    <div className={classes.bar} role="search" aria-label="Find in this session" data-find>
      <TextInput
        ref={field}
        className={classes.field ?? ''}
        size="xs"
        aria-label="Find in this session"
        placeholder="Find in this session"
        leftSection={<IconSearch size={14} aria-hidden />}
        value={query}
        maxLength={500}
        onChange={(event) => search(event.currentTarget.value)}
        onKeyDown={keys}
      />
      <Text span size="xs" c="dimmed" className={`figures ${classes.count ?? ''}`} role="status">
        {query.trim() !== '' && countText(at, hits.length)}
      </Text>
      <Step name="The one before (Shift and Enter)" disabled={hits.length === 0} onClick={() => step(true)}>
        <IconChevronUp size={15} />
      </Step>
      <Step name="The next one (Enter)" disabled={hits.length === 0} onClick={() => step(false)}>
        <IconChevronDown size={15} />
      </Step>
      {hit !== null && (
        <Text span size="xs" c="dimmed" className={`figures ${classes.where ?? ''}`} truncate>
          {whereOf(hit)}
        </Text>
      )}
      <CloseButton size="sm" ml="auto" aria-label="Close the search" onClick={close} />
    </div>
  )
}

function Step(props: { name: string; disabled: boolean; onClick: () => void; children: React.ReactNode }) {
  return (
    <Tooltip label={props.name}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={props.name}
        disabled={props.disabled}
        onClick={props.onClick}
      >
        {props.children}
      </ActionIcon>
    </Tooltip>
  )
}

/** The hits of a query, which may lag some letters behind the field, and a way to fetch the missing ones. */
function useHits(id: string, query: string): { hits: readonly Hit[]; hitsNow: () => readonly Hit[] } {
  const deferred = useDeferredValue(query)
  const transcript = useQuery(transcriptQuery(id)).data
  const timeline = useQuery(timelineQuery(id)).data
  const items = useMemo(
    () =>
      transcript === undefined || timeline === undefined ? [] : conversationOf(transcript, timeline.spans),
    [transcript, timeline],
  )
  const spans = timeline?.spans ?? noSpans
  const hits = useMemo(() => hitsOf(items, spans, deferred), [items, spans, deferred])
  return { hits, hitsNow: () => (deferred === query ? hits : hitsOf(items, spans, query)) }
}

const noSpans: readonly Schemas['Span'][] = []

function countText(at: number, all: number): string {
  if (all === 0) return 'nothing found'
  const many = all >= mostHits ? `${count(mostHits)} or more` : count(all)
  return at < 0 ? `${many} found` : `${count(at + 1)} of ${many}`
}

const kinds: Partial<Record<Schemas['Message']['kind'], string>> = {
  tool_arguments: 'arguments',
  tool_output: 'output',
  tool_result: 'result',
}

/** Where a hit is: "result of bash, 0:12.3". */
function whereOf({ message, span, at }: Hit): string {
  const kind = message === null ? 'timeline' : (kinds[message.kind] ?? message.kind)
  const name = message === null ? (span?.name ?? '') : message.kind in kinds ? message.name : ''
  return `${kind}${name === '' ? '' : ` of ${name}`}, ${clock(at)}`
}
