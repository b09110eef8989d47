package clickhouse

import (
	"fmt"
	"strings"

	"github.com/ClickHouse/ch-go"

	"tapedeck/replay"
	"tapedeck/schema"
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

// A session has few streams, so FINAL is cheap here.
const streamsQuery = `SELECT stream_id, first_seq, version, transport, dialect, source,
  first_at, last_at, frames, bytes, ended, end_reason
FROM streams FINAL
WHERE tenant = {tenant:String} AND session_id = {session:String}
ORDER BY stream_id, first_seq`

const (
	bareColumns = `seq, captured_at, CAST(direction, 'Int8'), CAST(transport, 'Int8'), flags, cuts, raw`
	allColumns  = bareColumns + `, type, source_session, run_id, node_id, agent, event_id`
)

// bound is how a page's first frame is given.
type bound struct {
	// seq: from this number on. at: from this time on, ns; used where it is not 0.
	seq uint64
	at  int64
}

// pageQuery asks for one stream's frames from a bound on.
type pageQuery struct {
	stream *schema.StreamState
	query  *replay.Query
	from   bound
	rows   int
	// dense: read the numbers [from.seq, from.seq+rows) in whatever order they
	// come, which saves the server sorting. Else the first rows there are.
	dense bool
}

// settings are those that suit the query.
func (q *pageQuery) settings() []ch.Setting {
	if q.from.at != 0 || len(q.query.Filter.Types) > 0 {
		return oneThread
	}
	return byKey
}

// build gives the query's text and values.
func (q *pageQuery) build(t *tape) (string, parameters, error) {
	started, err := schema.StreamStarted(q.stream.StreamID)
	if err != nil {
		return "", nil, err
	}
	var p parameters
	p.text("tenant", t.tenant)
	p.text("session", t.session)
	p.text("stream", q.stream.StreamID)
	var b strings.Builder
	columns := allColumns
	if q.query.Bare {
		columns = bareColumns
	}
	b.WriteString("SELECT " + columns + "\nFROM frames\nWHERE tenant = {tenant:String}" +
		" AND session_id = {session:String} AND stream_id = {stream:String}")
	fmt.Fprintf(&b, "\n  AND toYYYYMM(stream_started) = toYYYYMM(toDateTime(%d, 'UTC'))", started/1e9)
	switch {
	case q.from.at != 0:
		fmt.Fprintf(&b, "\n  AND captured_at >= fromUnixTimestamp64Nano(%d, 'UTC')", q.from.at)
	case q.dense:
		fmt.Fprintf(&b, "\n  AND seq >= %d AND seq < %d", q.from.seq, q.from.seq+uint64(q.rows))
	default:
		fmt.Fprintf(&b, "\n  AND seq >= %d", q.from.seq)
	}
	p = q.filter(&b, p)
	if !q.dense {
		fmt.Fprintf(&b, "\nORDER BY seq\nLIMIT %d", q.rows)
	}
	return b.String(), p, nil
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
	if len(f.Transports) > 0 {
		b.WriteString("\n  AND transport IN " + names(f.Transports))
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
