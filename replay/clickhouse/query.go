package clickhouse

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"

	"tapedeck/replay"
	"tapedeck/schema"
)

// oneThread are the settings of queries that read a page, which takes milliseconds: more threads,
// or compiling expressions that run once, would take longer.
var oneThread = []ch.Setting{
	{Key: "max_threads", Value: "1", Important: true},
	{Key: "compile_expressions", Value: "0", Important: true},
	// Lazily materialized columns arrive in one block. A large page must arrive in several blocks,
	// so that reading can stop.
	{Key: "query_plan_max_limit_for_lazy_materialization", Value: "256", Important: true},
	// The primary key selects the rows. The statistics of parts on S3 are two requests for each column.
	// Older servers do not know the setting.
	{Key: "use_statistics_for_part_pruning", Value: "0"},
}

// byKey are the settings of queries that need only the primary key.
var byKey = append(oneThread[:len(oneThread):len(oneThread)],
	ch.Setting{Key: "use_skip_indexes", Value: "0", Important: true})

// bound is the start of a page.
type bound struct {
	// seq is the first frame number. at is the first time, ns; it is used if it is not 0.
	seq uint64
	at  int64
}

// pageQuery selects frames: frames of one stream from a bound on, or all frames of several streams.
type pageQuery struct {
	streams []*schema.StreamState
	query   *replay.Query
	from    bound
	rows    int
	// dense reads the frames with the numbers [from.seq, from.seq+rows) in any order, which saves
	// the server sorting. Otherwise the first rows from the bound on are read.
	dense bool
	// packed requests that the page is packed at once, since it is needed for a long time.
	packed bool
}

// settings returns the ClickHouse settings for the query.
func (q *pageQuery) settings() []ch.Setting {
	if q.from.at != 0 || len(q.query.Filter.Types) > 0 {
		return oneThread
	}
	return byKey
}

// bundle reports whether the query is for several streams.
func (q *pageQuery) bundle() bool { return len(q.streams) > 1 }

// build returns the text and the parameters of the query.
func (q *pageQuery) build(t *tape) (string, parameters, error) {
	var p parameters
	p.text("tenant", t.tenant)
	p.text("session", t.session)
	f := &q.query.Filter
	shape := pageShape{
		Bundle: q.bundle(), Bare: q.query.Bare, Types: len(f.Types) > 0, Agents: len(f.Agents) > 0,
		Directions: names(f.Directions), Bytes: f.Bytes, Note: uint32(schema.FlagNote),
	}
	if !q.bundle() {
		shape.Dense, shape.At = q.dense, q.from.at
		shape.From, shape.To = q.from.seq, q.from.seq+uint64(q.rows)
		if !q.dense {
			shape.Limit = q.rows
		}
	}
	ids, months, err := q.keys()
	if err != nil {
		return "", nil, err
	}
	shape.Months = strings.Join(months, ", ")
	if q.bundle() {
		p.texts("streams", ids)
	} else {
		p.text("stream", ids[0])
	}
	if shape.Types {
		p.texts("types", f.Types)
	}
	if shape.Agents {
		p.texts("agents", f.Agents)
	}
	text, err := statements.Text("frames", shape)
	return strings.TrimSuffix(text, "\n"), p, err
}

// keys returns the ids of the query's streams and the months in which they began.
func (q *pageQuery) keys() (ids, months []string, err error) {
	for _, s := range q.streams {
		started, err := schema.StreamStarted(s.StreamID)
		if err != nil {
			return nil, nil, err
		}
		ids = append(ids, s.StreamID)
		if month := time.Unix(0, started).UTC().Format("200601"); !slices.Contains(months, month) {
			months = append(months, month)
		}
	}
	return ids, months, nil
}

// names joins the names of enum values, which need no quoting; "" for none.
func names[T fmt.Stringer](values []T) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = "'" + v.String() + "'"
	}
	return strings.Join(quoted, ", ")
}
