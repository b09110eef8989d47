import { Tabs } from '@mantine/core'
import { lazy, Suspense, useRef } from 'react'
import { useMediaQuery } from '@mantine/hooks'
import { Loading } from '../components/loading'
import { isShared, type Schemas } from '../api/client'
import { Skip } from '../components/skip'
import { Conversation } from './conversation/conversation'
import { Frames } from './frames/frames'
import classes from './page.module.css'
import { PanesEdge, usePanes } from './panes'
import { type View, wideQuery } from './place'
import { useStateTypes } from './state/queries'
import { useThoughtTypes } from './thoughts/queries'
import { Timeline } from './timeline/timeline'
import { Totals } from './totals/totals'
import { useGo, usePlace } from './useplace'

const State = lazy(() => import('./state/state'))
const Notes = lazy(() => import('./notes/notes'))
const Thoughts = lazy(() => import('./thoughts/thoughts'))

/**
 * The views of the moment. Where there is room the conversation is beside one of the others; else
 * one is shown at a time. Each fills its slot, which scrolls unless the view itself does.
 */
export function Views({ session }: { session: Schemas['SessionDetail'] }) {
  const wide = useMediaQuery(wideQuery, window.matchMedia(wideQuery).matches)
  const { tab, span } = usePlace()
  const go = useGo()
  const panes = usePanes()
  const views = useRef<HTMLDivElement>(null)
  const hasState = useStateTypes(session).length > 0
  const hasThoughts = useThoughtTypes(session).length > 0
  const missing =
    (tab === 'state' && !hasState) || (tab === 'thoughts' && !hasThoughts) || (tab === 'notes' && isShared())
  const asked = missing ? 'timeline' : tab
  const chosen = asked ?? (span === null ? 'conversation' : 'timeline')
  const shown = wide && chosen === 'conversation' ? 'timeline' : chosen
  return (
    <div ref={views} className={classes.views} style={panes.style} data-findable>
      {wide && (
        <section className={classes.beside} aria-label="Conversation">
          <Skip to="views">Skip the conversation</Skip>
          <Conversation session={session} />
        </section>
      )}
      {wide && <PanesEdge panes={panes} views={views} />}
      <Tabs
        id="views"
        tabIndex={-1}
        className={classes.tabs}
        value={shown}
        onChange={(view) => go({ tab: view as View | null }, 'push')}
        keepMounted={false}
      >
        <Tabs.List className={classes.list}>
          {!wide && <Tabs.Tab value="conversation">Conversation</Tabs.Tab>}
          <Tabs.Tab value="timeline">Timeline</Tabs.Tab>
          {hasState && <Tabs.Tab value="state">State</Tabs.Tab>}
          {hasThoughts && <Tabs.Tab value="thoughts">Thoughts</Tabs.Tab>}
          <Tabs.Tab value="frames">Frames</Tabs.Tab>
          <Tabs.Tab value="totals">Totals</Tabs.Tab>
          {!isShared() && <Tabs.Tab value="notes">Notes</Tabs.Tab>}
        </Tabs.List>
        {!wide && (
          <Tabs.Panel className={classes.panel} value="conversation">
            <Skip to="player">Skip the conversation</Skip>
            <Conversation session={session} />
          </Tabs.Panel>
        )}
        <Tabs.Panel className={classes.panel} value="timeline">
          <Timeline session={session} />
        </Tabs.Panel>
        {hasState && (
          <Tabs.Panel className={classes.panel} value="state">
            <Suspense fallback={<Loading m="md" size="sm" label="Loading the states" />}>
              <State session={session} />
            </Suspense>
          </Tabs.Panel>
        )}
        {hasThoughts && (
          <Tabs.Panel className={classes.panel} value="thoughts">
            <Suspense fallback={<Loading m="md" size="sm" label="Loading the thoughts" />}>
              <Thoughts session={session} />
            </Suspense>
          </Tabs.Panel>
        )}
        <Tabs.Panel className={classes.panel} value="frames">
          <Frames session={session} />
        </Tabs.Panel>
        <Tabs.Panel className={classes.panel} value="totals">
          <Totals session={session} />
        </Tabs.Panel>
        {!isShared() && (
          <Tabs.Panel className={classes.panel} value="notes">
            <Suspense fallback={<Loading m="md" size="sm" label="Loading the notes" />}>
              <Notes session={session} />
            </Suspense>
          </Tabs.Panel>
        )}
      </Tabs>
    </div>
  )
}
