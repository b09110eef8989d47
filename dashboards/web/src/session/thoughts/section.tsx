import { useMemo, useState } from 'react'
import { countUntil } from '../conversation/growth'
import { MomentLink } from '../moment'
import { momentText } from '../place'
import { usePlayer, usePlayerState } from '../player/context'
import { useGo } from '../useplace'
import type { Drawing, Thought } from './drawing'
import { type Layout, layered, type Place } from './layout'
import { describe, words } from './words'
import classes from './thoughts.module.css'

/** The distances from one column and row to the next, and the size of a node, px. */
const column = 252
const row = 66
const width = 216
const height = 52

/** One drawing: its nodes as buttons over lines, what is missing from it, and the text of the chosen node. */
export function DrawingSection(props: { drawing: Drawing; title: string; started: string }) {
  const { drawing, title, started } = props
  const [chosen, choose] = useState<string | null>(null)
  const layout = useMemo(() => layoutOf(drawing), [drawing])
  const befores = useMemo(() => beforesOf(drawing), [drawing])
  const times = useMemo(() => Float64Array.from(drawing.thoughts, ({ at }) => at).sort(), [drawing])
  const reached = usePlayerState(({ offset }) => countUntil(times, offset))
  const now = times[reached - 1] ?? -1
  const player = usePlayer()
  const go = useGo()
  const show = ({ id, at }: Thought) => {
    choose(id)
    go({ t: momentText(at) }, 'push')
    player.seek(at)
  }
  const selected = drawing.thoughts.find(({ id }) => id === chosen)
  return (
    <section aria-label={title}>
      <h2 className={classes.title}>{title}</h2>
      {drawing.notes.map((note) => (
        <p key={note} className={classes.note}>
          {note}
        </p>
      ))}
      <div className={classes.scroll} role="group" aria-label={`${title}, a drawing`} tabIndex={0}>
        <div
          className={classes.drawing}
          style={{ width: layout.columns * column - 36, height: layout.rows * row - 14 }}
        >
          <Lines drawing={drawing} layout={layout} />
          <ol className={classes.nodes}>
            {drawing.thoughts.map((thought) => {
              const at = placeOf(layout, thought.id)
              return (
                <li
                  key={thought.id}
                  className={classes.place}
                  style={{ left: at.column * column, top: at.row * row, width, height }}
                >
                  <button
                    className={classes.node}
                    data-mark={thought.mark ?? undefined}
                    data-after={thought.at > now}
                    aria-pressed={thought.id === chosen}
                    aria-label={describe(thought, befores.get(thought.id) ?? [])}
                    onClick={() => show(thought)}
                  >
                    <span className={classes.name}>
                      <span className={classes.words}>{thought.title}</span>
                      {words(thought) !== '' && <span className={classes.mark}>{words(thought)}</span>}
                    </span>
                    {thought.text !== '' && <span className={classes.text}>{thought.text}</span>}
                  </button>
                </li>
              )
            })}
          </ol>
        </div>
      </div>
      {selected !== undefined && (
        <div className={classes.whole} role="region" aria-label="The chosen thought">
          <MomentLink ms={selected.at} started={started} /> <b>{selected.title}</b> {words(selected)}
          <p>{selected.text === '' ? 'The source states no text of it.' : selected.text}</p>
        </div>
      )}
    </section>
  )
}

/** Lines from the right side of one node to the left of the other; those the source does not state are dashed. */
function Lines({ drawing, layout }: { drawing: Drawing; layout: Layout }) {
  return (
    <svg className={classes.lines} aria-hidden>
      {drawing.edges.map(({ from, to, stated }) => {
        const a = placeOf(layout, from)
        const b = placeOf(layout, to)
        const [x, y] = [a.column * column + width, a.row * row + height / 2]
        const [u, v] = [b.column * column, b.row * row + height / 2]
        const bend = Math.max(18, Math.abs(u - x) / 2)
        return (
          <path
            key={`${from} ${to} ${stated}`}
            d={`M${x} ${y}C${x + bend} ${y} ${u - bend} ${v} ${u} ${v}`}
            strokeDasharray={stated ? undefined : '4 4'}
          />
        )
      })}
    </svg>
  )
}

/** The places of a drawing. The steps of a search come first, so that they are in one line. */
function layoutOf({ thoughts, edges }: Drawing): Layout {
  const steps = thoughts.filter(({ mark }) => mark === 'step')
  const others = thoughts.filter(({ mark }) => mark !== 'step')
  return layered(
    [...steps, ...others].map(({ id }) => id),
    edges,
  )
}

const corner: Place = { column: 0, row: 0 }

function placeOf(layout: Layout, id: string): Place {
  return layout.places.get(id) ?? corner
}

/** The titles of the nodes that stated lines lead from, by the node they lead to. */
function beforesOf({ thoughts, edges }: Drawing): ReadonlyMap<string, readonly string[]> {
  const titles = new Map(thoughts.map(({ id, title }) => [id, title]))
  const befores = new Map<string, string[]>()
  for (const { from, to, stated } of edges) {
    if (!stated) continue
    const before = befores.get(to)
    if (before === undefined) befores.set(to, [titles.get(from) ?? from])
    else before.push(titles.get(from) ?? from)
  }
  return befores
}
