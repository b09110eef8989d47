package clickhouse

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"

	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/tombstone"
)

// Reading a page is a matter of milliseconds: more threads, or compiling what is
// run once, would cost more than they bring.
var oneThread = []ch.Setting{
	{Key: "max_threads", Value: "1", Important: true},
	{Key: "compile_expressions", Value: "0", Important: true},
	// Columns that are fetched after the rows are known come in one block; a
	// large page is to come in several, so that reading can stop.
	{Key: "query_plan_max_limit_for_lazy_materialization", Value: "256", Important: true},
}

// byKey is for queries that the primary key alone answers.
var byKey = append(oneThread[:len(oneThread):len(oneThread)], ch.Setting{Key: "use_skip_indexes", Value: "0", Important: true})

const streamColumns = `SELECT stream_id, first_seq, version, transport, dialect, source,
  first_at, last_at, frames, bytes, ended, end_reason, recorder, `

// recordedStreams gives what the recorder told of a session's streams, in every
// version that has not been merged away, and whether something was decoded anew
// or deleted since. It takes the server half of what currentStreams takes, and nearly every
// session is as it was recorded.
const recordedStreams = streamColumns + `toUInt8(
  assumeNotNull((SELECT count() FROM redecodes WHERE tenant = {tenant:String} AND session_id = {session:String})) > 0
  OR assumeNotNull((SELECT count() FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String})) > 0)
FROM streams
WHERE tenant = {tenant:String} AND session_id = {session:String} AND generation = 0`

// A session has few streams, so FINAL is cheap here. Of streams that were decoded
// anew the generation counts that redecodes names, and parts that came later, as
// in query/sql/current.sql.
var currentStreams = streamColumns + `toUInt8(1)
FROM streams FINAL
WHERE tenant = {tenant:String} AND session_id = {session:String}
  AND ` + tombstone.Visible(tombstone.OfSession) + `
  AND if(generation = 0,
    (stream_id, first_seq) NOT IN (
      SELECT stream_id, arrayJoin(parts) FROM redecodes FINAL WHERE tenant = {tenant:String} AND session_id = {session:String}),
    (stream_id, generation) IN (
      SELECT stream_id, generation FROM redecodes FINAL WHERE tenant = {tenant:String} AND session_id = {session:String}))`

const (
	streamColumn = `toLowCardinality(stream_id)`
	bareColumns  = `seq, captured_at, CAST(direction, 'Int8'), CAST(transport, 'Int8'), flags, cuts, raw`
	allColumns   = bareColumns + `, type, source_session, run_id, node_id, agent, event_id, generation`
)

// bound is how a page's first frame is given.
type bound struct {
	// seq: from this number on. at: from this time on, ns; used where it is not 0.
	seq uint64
	at  int64
}

// pageQuery asks for frames: of one stream from a bound on, or all frames of
// several streams.
type pageQuery struct {
	streams []*schema.StreamState
	query   *replay.Query
	from    bound
	rows    int
	// dense: read the numbers [from.seq, from.seq+rows) in whatever order they
	// come, which saves the server sorting. Else the first rows there are.
	dense bool
	// packed: the page lasts long, so that it is packed at once.
	packed bool
}

// settings are those that suit the query.
func (q *pageQuery) settings() []ch.Setting {
	if q.from.at != 0 || len(q.query.Filter.Types) > 0 {
		return oneThread
	}
	return byKey
}

// bundle reports whether the query is for several streams.
func (q *pageQuery) bundle() bool { return len(q.streams) > 1 }

// build gives the query's text and values.
func (q *pageQuery) build(t *tape) (string, parameters, error) {
	var p parameters
	p.text("tenant", t.tenant)
	p.text("session", t.session)
	var b strings.Builder
	b.WriteString("SELECT " + q.columns() + "\nFROM frames\nWHERE tenant = {tenant:String} AND session_id = {session:String}")
	p, err := q.where(&b, p)
	if err != nil {
		return "", nil, err
	}
	p = q.filter(&b, p)
	if !q.dense && !q.bundle() {
		fmt.Fprintf(&b, "\nORDER BY seq\nLIMIT %d", q.rows)
	}
	return b.String(), p, nil
}

func (q *pageQuery) columns() string {
	columns := allColumns
	if q.query.Bare {
		columns = bareColumns
	}
	if q.bundle() {
		columns = streamColumn + ", " + columns
	}
	return columns
}

// where says which frames of which streams. A stream's month is its partition.
func (q *pageQuery) where(b *strings.Builder, p parameters) (parameters, error) {
	var ids, months []string
	for _, s := range q.streams {
		started, err := schema.StreamStarted(s.StreamID)
		if err != nil {
			return p, err
		}
		ids = append(ids, s.StreamID)
		if month := time.Unix(0, started).UTC().Format("200601"); !slices.Contains(months, month) {
			months = append(months, month)
		}
	}
	if q.bundle() {
		p.texts("streams", ids)
		b.WriteString(" AND stream_id IN {streams:Array(String)}")
	} else {
		p.text("stream", ids[0])
		b.WriteString(" AND stream_id = {stream:String}")
	}
	b.WriteString("\n  AND toYYYYMM(stream_started) IN (" + strings.Join(months, ", ") + ")")
	switch {
	case q.bundle():
	case q.from.at != 0:
		fmt.Fprintf(b, "\n  AND captured_at >= fromUnixTimestamp64Nano(%d, 'UTC')", q.from.at)
	case q.dense:
		fmt.Fprintf(b, "\n  AND seq >= %d AND seq < %d", q.from.seq, q.from.seq+uint64(q.rows))
	default:
		fmt.Fprintf(b, "\n  AND seq >= %d", q.from.seq)
	}
	return p, nil
}

func (q *pageQuery) filter(b *strings.Builder, p parameters) parameters {
	f := &q.query.Filter
	if len(f.Types) > 0 {
		p.texts("types", f.Types)
		b.WriteString("\n  AND type IN {types:Array(String)}")
	}
	if len(f.Agents) > 0 {
		p.texts("agents", f.Agents)
		b.WriteString("\n  AND agent IN {agents:Array(String)}")
	}
	if len(f.Directions) > 0 {
		b.WriteString("\n  AND direction IN " + names(f.Directions))
	}
	if f.Bytes {
		fmt.Fprintf(b, "\n  AND (bitAnd(flags, %d) = 0 OR transport NOT IN %s)", schema.FlagNote,
			names([]schema.Transport{schema.HTTP, schema.WebSocket}))
	}
	return p
}

// names lists the names of enum values, which need no quoting.
func names[T fmt.Stringer](values []T) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = "'" + v.String() + "'"
	}
	return "(" + strings.Join(quoted, ", ") + ")"
}
