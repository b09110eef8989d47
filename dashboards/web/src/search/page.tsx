import { Skeleton, Text, Title } from '@mantine/core'
import { IconClockPause, IconSearch } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { Empty } from '../components/empty'
import { NextPage } from '../components/nextpage'
import { Notice } from '../components/notice'
import { ProblemAlert } from '../components/problem'
import { Time } from '../components/time'
import { useTitle } from '../components/title'
import { SearchField } from './field'
import { Filters } from './filters'
import { focusFirstHit, Hits } from './hits'
import classes from './page.module.css'
import { isNarrowed, parseSearch, searchAddress, type Search } from './params'
import { hitsQuery, type SearchAnswer } from './queries'

/** Searches messages, thoughts, and the arguments and results of tools for words. */
export default function SearchPage() {
  const [, navigate] = useLocation()
  const address = useSearch()
  const search = useMemo(() => parseSearch(address), [address])
  const { q } = search.filter
  useTitle(q === '' ? 'Search' : `${q} · Search`)
  const change = useCallback(
    (part: Partial<Search>) => navigate(searchAddress({ ...search, ...part })),
    [search, navigate],
  )
  return (
    <div className={classes.page}>
      <div className={classes.bar}>
        <Title order={1} size="h3">
          Search
        </Title>
        <div className={classes.field}>
          <SearchField
            value={q}
            autoFocus={q === ''}
            search={(text) => change({ filter: { ...search.filter, q: text } })}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown' && focusFirstHit()) event.preventDefault()
            }}
          />
        </div>
      </div>
      <Filters search={search} change={change} />
      {q === '' ? <Help /> : <Found search={search} />}
    </div>
  )
}

function Found({ search }: { search: Search }) {
  const list = useInfiniteQuery(hitsQuery(search))
  const hits = list.data?.pages.flatMap(({ items }) => items) ?? []
  // What was found before is no answer: only hits of it are shown until the answer is there.
  const last = list.isPlaceholderData ? undefined : list.data?.pages.at(-1)
  const waiting = list.isPending || (list.isPlaceholderData && hits.length === 0)
  return (
    <div data-ready={list.isSuccess || undefined}>
      {list.error !== null && <ProblemAlert error={list.error} again={() => void list.refetch()} />}
      {waiting && <Skeleton height={320} radius="md" role="status" aria-label="Searching" />}
      {hits.length > 0 && <Hits hits={hits} stale={list.isPlaceholderData} />}
      {list.isSuccess && !waiting && hits.length === 0 && last?.partial !== true && (
        <Empty title="Nothing was found" icon={<IconSearch size={36} stroke={1.25} />}>
          {isNarrowed(search)
            ? 'No text that passes the filters has all of these words. Clear the filters, or leave a word out.'
            : 'No text has all of these words. Leave one out, or end a word with * to search by its beginning.'}
        </Empty>
      )}
      {last?.partial === true && <Partial answer={last} />}
      <NextPage list={list} className={classes.more}>
        {last?.partial === true ? 'Search on' : 'Show more'}
      </NextPage>
    </div>
  )
}

/** Why not everything was searched, and how far back it was. */
function Partial({ answer: { reason, searched_to, scanned } }: { answer: SearchAnswer }) {
  return (
    <div className={classes.partial} role="status">
      <Notice icon={<IconClockPause size={16} />}>
        {reason}
        {searched_to !== null && (
          <>
            {' '}
            Searched back to <Time at={searched_to} />.
          </>
        )}
        {scanned.length > 0 && (
          <> The index cannot answer {scanned.join(', ')}, so texts are read one by one.</>
        )}
      </Notice>
    </div>
  )
}

function Help() {
  return (
    <Empty title="Search messages, tool calls and errors" icon={<IconSearch size={36} stroke={1.25} />}>
      <Text size="sm">
        The search covers messages of users and models, thinking, arguments and results of tools, and errors.
      </Text>
      <dl className={classes.help}>
        <dt>
          <code>connection refused</code>
        </dt>
        <dd>both words, anywhere in one text</dd>
        <dt>
          <code>&quot;connection refused&quot;</code>
        </dt>
        <dd>one after the other</dd>
        <dt>
          <code>connec*</code>
        </dt>
        <dd>words with this beginning</dd>
      </dl>
    </Empty>
  )
}
