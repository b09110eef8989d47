import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Loading } from '../../components/loading'
import type { Schemas } from '../../api/client'
import { Copy } from '../../components/copy'
import { exactText, exactValue } from '../../components/json/exact'
import { JsonTree } from '../../components/json/tree'
import { LongText } from '../../components/longtext'
import { ProblemAlert } from '../../components/problem'
import { Time } from '../../components/time'
import { clock } from '../../format/duration'
import { bytes, count } from '../../format/numbers'
import { Fact, Facts, DetailPane, PaneTitle } from '../detailpane'
import { MomentLink } from '../moment'
import { bytesOf } from './bytes'
import classes from './detail.module.css'
import { Exact, Hex } from './exact'
import { flagMeanings } from './flags'
import { frameQuery } from './queries'

type WholeFrame = Schemas['WholeFrame']
type View = 'pretty' | 'exact' | 'hex'

/** One frame: its content, its exact bytes, and its flags. */
export function FrameDetail(props: {
  session: Schemas['SessionDetail']
  position: string
  onClose: () => void
}) {
  const { session, position, onClose } = props
  const frame = useQuery(frameQuery(session.id, position))
  const [view, setView] = useState<View>('pretty')
  return (
    <DetailPane
      label="The frame"
      head={
        <>
          <PaneTitle>{frame.data === undefined ? 'Frame' : frame.data.type || 'Frame'}</PaneTitle>
          <SegmentedControl
            size="xs"
            aria-label="How the frame is shown"
            value={view}
            onChange={(value) => setView(value)}
            data={[
              { value: 'pretty', label: 'Pretty' },
              { value: 'exact', label: 'Exact' },
              { value: 'hex', label: 'Hex' },
            ]}
          />
        </>
      }
      actions={frame.data !== undefined && <CopyFrame frame={frame.data} view={view} />}
      close="Close the frame"
      onClose={onClose}
    >
      {frame.error !== null && <ProblemAlert error={frame.error} again={() => void frame.refetch()} />}
      {frame.isPending && <Loading size="sm" label="Loading the frame" />}
      {frame.data !== undefined && <Shown frame={frame.data} view={view} started={session.started} />}
    </DetailPane>
  )
}

function CopyFrame({ frame, view }: { frame: WholeFrame; view: View }) {
  const text = useMemo(
    () => (view === 'pretty' ? prettyText(frame) : new TextDecoder().decode(bytesOf(frame.raw))),
    [frame, view],
  )
  return <Copy text={text} what={view === 'pretty' ? 'Copy formatted' : 'Copy as recorded'} />
}

/** The content of a frame of JSON, with the digits that its numbers were recorded with. */
function contentOf({ raw, frame }: WholeFrame): unknown {
  try {
    return exactValue(new TextDecoder().decode(bytesOf(raw)))
  } catch {
    return frame // its JSON is not all that was recorded
  }
}

function prettyText(frame: WholeFrame): string {
  return frame.text ?? frame.base64 ?? exactText(contentOf(frame), 2)
}

function Shown({ frame, view, started }: { frame: WholeFrame; view: View; started: string }) {
  const raw = useMemo(() => bytesOf(frame.raw), [frame.raw])
  return (
    <>
      <Facts>
        <Fact name="Arrived">
          <MomentLink ms={frame.offset_ms} started={started} /> <Time at={frame.captured_at} />
        </Fact>
        <Fact name="Size">
          {bytes(frame.size)}
          {frame.size > 999 && ` (${count(frame.size)} bytes)`}
        </Fact>
        <Fact name="Way">
          {frame.direction === 'send' ? 'sent' : 'received'} over {frame.transport}
        </Fact>
        <Fact name="Number in its stream">{count(frame.seq)}</Fact>
        {frame.event_id !== '' && <Fact name="Its own id">{frame.event_id}</Fact>}
        {frame.session_id !== '' && <Fact name="Its session">{frame.session_id}</Fact>}
        {frame.run_id !== '' && <Fact name="Run">{frame.run_id}</Fact>}
        {frame.node_id !== '' && <Fact name="Step">{frame.node_id}</Fact>}
        {frame.agent !== '' && <Fact name="Agent">{frame.agent}</Fact>}
      </Facts>
      {frame.flags.length > 0 && (
        <ul className={classes.flags}>
          {frame.flags.map((flag) => (
            <li key={flag}>
              <code>{flag}</code> {flagMeanings[flag]}
            </li>
          ))}
        </ul>
      )}
      {frame.cuts.length > 0 && (
        <p className={classes.cuts}>
          It came in {count(frame.cuts.length + 1)} pieces:{' '}
          {frame.cuts
            .slice(0, 20)
            .map((cut) => `${count(cut.bytes)} bytes by ${clock(cut.offset_ms)}`)
            .join(', ')}
          {frame.cuts.length > 20 && ' …'}, the rest by {clock(frame.offset_ms)}.
        </p>
      )}
      <div className={classes.body}>
        {view === 'pretty' && <Pretty frame={frame} />}
        {view === 'exact' && <Exact raw={raw} />}
        {view === 'hex' && <Hex raw={raw} />}
      </div>
    </>
  )
}

function Pretty({ frame }: { frame: WholeFrame }) {
  const content = useMemo(() => contentOf(frame), [frame])
  if (frame.text !== undefined) return <LongText text={frame.text} label="Frame content" />
  if (frame.base64 !== undefined)
    return <p className={classes.cuts}>These bytes are no text. Exact and Hex show them.</p>
  return <JsonTree value={content} label="Frame content" open={3} />
}
