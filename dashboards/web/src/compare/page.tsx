import { Anchor, Button, Center, Switch, Text, Title } from '@mantine/core'
import { IconArrowsExchange, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { Loading } from '../components/loading'
import { ProblemAlert } from '../components/problem'
import { useTitle } from '../components/title'
import { FirstDifferences } from './first'
import classes from './page.module.css'
import { Choose } from './choose'
import { Together } from './together'
import { compareAddress, comparisonQuery, type Comparison, type Pair } from './queries'
import { Rows } from './rows'
import { Sides } from './sides'

/** Two sessions side by side: where they part, and what the difference costs. */
export default function ComparePage() {
  const params = new URLSearchParams(useSearch())
  const a = params.get('a') ?? ''
  const b = params.get('b') ?? ''
  useTitle('Compare')
  if (a === '' || b === '') return <Choose a={a} b={b} />
  return <Compared key={`${a} ${b}`} pair={{ a, b, exact: params.get('exact') === '1' }} />
}

function Compared({ pair }: { pair: Pair }) {
  const { data, error, refetch } = useQuery(comparisonQuery(pair))
  const [, go] = useLocation()
  const [playing, play] = useState(false)
  const { a, b, exact } = pair
  return (
    <div className={classes.page}>
      <div className={classes.bar}>
        <Title order={1} size="h3">
          Compare
        </Title>
        <div className={classes.controls}>
          <Switch
            size="sm"
            label="Ids and times, too"
            checked={exact}
            onChange={(event) => go(compareAddress(a, b, event.currentTarget.checked), { replace: true })}
          />
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconArrowsExchange size={14} />}
            onClick={() => go(compareAddress(b, a, exact))}
          >
            Swap
          </Button>
          <Button
            size="compact-sm"
            {...(!playing && { variant: 'default' })}
            aria-pressed={playing}
            leftSection={<IconPlayerPlay size={14} />}
            onClick={() => play(!playing)}
          >
            Play both
          </Button>
        </div>
      </div>
      {error !== null && data === undefined ? (
        <>
          <ProblemAlert error={error} again={() => void refetch()} />
          <Text size="sm">
            <Anchor component={Link} href={compareAddress(a)} inherit>
              Choose another session
            </Anchor>
          </Text>
        </>
      ) : data === undefined ? (
        <Center h="40vh">
          <Loading label="Comparing the sessions" />
        </Center>
      ) : (
        <Answer pair={pair} comparison={data} playing={playing} />
      )}
    </div>
  )
}

function Answer({ pair, comparison, playing }: { pair: Pair; comparison: Comparison; playing: boolean }) {
  const { summary, first_divergence } = comparison
  return (
    <>
      <p className={classes.sentence} data-ready>
        {summary.sentence}
      </p>
      {playing && <Together pair={pair} />}
      {first_divergence !== null && <FirstDifferences of={first_divergence} pair={pair} />}
      <Sides comparison={comparison} />
      <Rows comparison={comparison} pair={pair} />
    </>
  )
}
