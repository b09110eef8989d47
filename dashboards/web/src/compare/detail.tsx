import { useQuery } from '@tanstack/react-query'
import { Loading } from '../components/loading'
import { ProblemAlert } from '../components/problem'
import classes from './detail.module.css'
import { rowQuery, type ComparedStep, type FieldDifference, type Pair } from './queries'

const names: Record<FieldDifference['field'], string> = {
  arguments: 'Arguments',
  result: 'Result',
  text: 'Text',
  thinking: 'Thinking',
  status: 'Status',
  model: 'Model',
  tools: 'Tools',
  parameters: 'Parameters',
}

/** What differs in the texts of a row. */
export function Detail({ pair, row }: { pair: Pair; row: ComparedStep }) {
  const { data, error, refetch } = useQuery(rowQuery(pair, row.index))
  if (data === undefined)
    return error === null ? (
      <Loading size="xs" label="Loading the row" />
    ) : (
      <ProblemAlert error={error} again={() => void refetch()} />
    )
  if (data.length === 0) return <p className={classes.none}>The step has no text.</p>
  return data.map((field) => <Field key={field.field} of={field} alone={row.a === null || row.b === null} />)
}

function Field({ of, alone }: { of: FieldDifference; alone: boolean }) {
  const { field, same, cut, words, paths, more } = of
  return (
    <section className={classes.field} aria-label={names[field]}>
      <h3 className={classes.title}>
        {names[field]}
        {same && !alone && <span className={classes.note}>the same</span>}
        {cut && <span className={classes.note}>the beginning of a longer text</span>}
      </h3>
      {paths.length > 0 ? (
        <Paths of={paths} more={more} />
      ) : words.length > 0 ? (
        <pre className={classes.text} tabIndex={0}>
          {words.map(({ op, text }, i) =>
            op === 'same' ? (
              <span key={i}>{text}</span>
            ) : op === 'a' ? (
              <del key={i}>{text}</del>
            ) : (
              <ins key={i}>{text}</ins>
            ),
          )}
        </pre>
      ) : same || alone ? (
        <pre className={classes.text} tabIndex={0}>
          {of.a === '' ? of.b : of.a}
        </pre>
      ) : (
        <pre className={classes.text} tabIndex={0}>
          <del>{of.a === '' ? '(none)' : of.a}</del> <ins>{of.b === '' ? '(none)' : of.b}</ins>
        </pre>
      )}
    </section>
  )
}

function Paths({ of, more }: { of: FieldDifference['paths']; more: boolean }) {
  return (
    <div className={classes.scroller} tabIndex={0} role="group" aria-label="Values that differ">
      <table className={classes.paths}>
        <thead>
          <tr>
            <th scope="col">Path</th>
            <th scope="col">A</th>
            <th scope="col">B</th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ path, a, b }) => (
            <tr key={path}>
              <th scope="row">{path}</th>
              <td>{a === null ? <em>none</em> : <del>{a}</del>}</td>
              <td>{b === null ? <em>none</em> : <ins>{b}</ins>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more && <p className={classes.none}>There are more.</p>}
    </div>
  )
}
