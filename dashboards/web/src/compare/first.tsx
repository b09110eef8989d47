import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { duration } from '../format/duration'
import classes from './first.module.css'
import { Letter } from './letter'
import { stepAddress, type Comparison, type FirstDifference, type Pair } from './queries'

type Divergence = NonNullable<Comparison['first_divergence']>

/** The first input that differs beside the first output that does. The one that came first is marked. */
export function FirstDifferences({ of, pair }: { of: Divergence; pair: Pair }) {
  const { input, output, action, cause } = of
  const later = action !== null && action.row !== output?.row
  return (
    <div className={classes.firsts}>
      <Card title="First input that differs" first={input} pair={pair} cause={cause === 'input'}>
        No prompt, tool definition, model, parameter or result of a tool differs, as far as they were
        recorded.
      </Card>
      <Card title="First output that differs" first={output} pair={pair} cause={cause === 'output'}>
        What came of it is the same.
      </Card>
      {later && <Card title="First action that differs" first={action} pair={pair} cause={false} />}
    </div>
  )
}

function Card({
  title,
  first,
  pair,
  cause,
  children,
}: {
  title: string
  first: FirstDifference | null
  pair: Pair
  cause: boolean
  children?: string
}) {
  return (
    <section className={classes.card} data-cause={cause || undefined} aria-label={title}>
      <h2 className={classes.title}>
        {title}
        {cause && <span className={classes.cause}>came first</span>}
      </h2>
      {first === null ? (
        <p className={classes.none}>{children}</p>
      ) : (
        <>
          <p className={classes.phrase}>
            <a href={`#row-${first.row}`}>{capital(first.phrase)}</a>
          </p>
          {(['a', 'b'] as const).map((side) => {
            const step = first[side]
            const text = side === 'a' ? first.text_a : first.text_b
            if (step === null && text === '') return null
            return (
              <div key={side} className={classes.side}>
                <Letter side={side} />
                {step !== null && (
                  <Anchor
                    component={Link}
                    href={stepAddress(pair[side], step)}
                    size="xs"
                    className={classes.at ?? ''}
                  >
                    +{duration(step.start_ms)}
                  </Anchor>
                )}
                {text !== '' && <code className={classes.text}>{text}</code>}
              </div>
            )
          })}
        </>
      )}
    </section>
  )
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
