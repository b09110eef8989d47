// Package sessionstreams reads what the streams of sessions state: times, sizes, titles, tags.
package sessionstreams

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/sessioncache"
)

var statements = query.Statements("facts/sessionstreams")

// Shape selects the optional parts of sql/session_streams.sql.
type Shape struct {
	Since    bool // only streams since oldest_stream, s since 1970
	Ends     bool // select when each stream ended, and Row.Original
	Original bool // the rows are only valid if Row.Original is true
}

// Row holds what the streams of a session state.
type Row struct {
	ID          string   `ch:"session_id"`
	Started     int64    `ch:"started_ns"`
	Last        int64    `ch:"last_ns"`
	End         int64    `ch:"end_ns"`        // end of the last stream, or the last frame
	LastEnded   int64    `ch:"last_ended_ns"` // end of the last stream; 0 if it did not end
	LastReason  string   `ch:"last_reason"`
	StreamIDs   []string `ch:"stream_ids"` // StreamEnds has when each stream ended, or its last frame
	StreamEnds  []int64  `ch:"stream_ends"`
	Original    bool     `ch:"original"` // no selected session was ever deleted or decoded anew
	Streams     uint64   `ch:"streams"`
	Frames      uint64   `ch:"frames"`
	Bytes       uint64   `ch:"bytes"`
	LiveStreams uint64   `ch:"live_streams"`
	LostStreams uint64   `ch:"lost_streams"`
	Cut         bool     `ch:"cut"`
	Title       string   `ch:"title"`
	Dialects    []string `ch:"dialects"`
	TagKeys     []string `ch:"tag_keys"`
	TagValues   []string `ch:"tag_values"`
}

// Find returns what the streams of a session state.
func Find(ctx context.Context, r *query.Reader, tenant, session string) (*Row, error) {
	rows, err := FindAll(ctx, r, tenant, session)
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

// Kept is Find for readers to whom it does not matter which streams are live or lost: those depend on
// the time and on recorders. The row is read once for all requests, until the session changes. The
// caller may modify the row, but not what its slices hold.
func Kept(ctx context.Context, r *query.Reader, tenant, session string) (*Row, error) {
	row, err := sessioncache.Get(ctx, r.Sessions(), tombstone.Key{Tenant: tenant, Session: session}, "streams",
		func(ctx context.Context) (Row, int64, error) {
			row, err := Find(ctx, r, tenant, session)
			if err != nil {
				return Row{}, 0, err
			}
			row.LiveStreams, row.LostStreams = 0, 0
			return *row, row.bytes(), nil
		})
	return &row, err
}

// bytes returns the memory of the row.
func (row *Row) bytes() int64 {
	size := int(unsafe.Sizeof(*row)) + 8*len(row.StreamEnds) + len(row.Title)
	for _, list := range [][]string{{row.ID, row.LastReason}, row.StreamIDs, row.Dialects, row.TagKeys, row.TagValues} {
		for _, text := range list {
			size += len(text) + int(unsafe.Sizeof(text))
		}
	}
	return int64(size)
}

// FindAll is Find for several sessions, with one statement. It returns an error for the first
// session that does not exist.
func FindAll(ctx context.Context, r *query.Reader, tenant string, sessions ...string) ([]*Row, error) {
	read := func(original bool) ([]Row, error) {
		return ReadStreams(ctx, r, tenant, Shape{Ends: true, Original: original},
			query.Args{"tenant": tenant, "sessions": sessions})
	}
	rows, err := read(true)
	if err == nil && (len(rows) < len(sessions) || !rows[0].Original) {
		rows, err = read(false)
	}
	if err != nil {
		return nil, err
	}
	found := make([]*Row, len(sessions))
	for i, id := range sessions {
		at := slices.IndexFunc(rows, func(row Row) bool { return row.ID == id })
		if at < 0 {
			return nil, notFound(id)
		}
		found[i] = &rows[at]
	}
	return found, nil
}

func notFound(session string) error {
	p := problem.NotFound(fmt.Sprintf("There is no session %q.", session))
	p.Hint = "GET /v1/sessions lists the sessions there are."
	return p
}

// Parameters returns the parameters of statements on the facts of one session.
func Parameters(tenant string, s *Row) query.Args {
	return query.Args{"tenant": tenant, "sessions": []string{s.ID}}.Within(s.Started, s.Last)
}

// ReadStreams returns what the streams of some sessions of a tenant state. The parameters a name
// the sessions.
func ReadStreams(ctx context.Context, r *query.Reader, tenant string, shape Shape, a query.Args) ([]Row, error) {
	return query.Ask[Row](ctx, r, statements, "session_streams", shape, query.Liveness(r.Now(), r, tenant).And(a))
}
