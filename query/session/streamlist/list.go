// Package streamlist lists the streams with the latest frames.
package streamlist

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
)

var statements = query.Statements("session/streamlist", "facts/sessionstreams")

// Query selects streams.
type Query struct {
	Tenant  string
	Session string   // only streams with frames in this session; "" for any
	Stream  string   // only this stream; "" for any
	Active  bool     // only streams that have not ended and whose recorders are alive
	Failed  bool     // only streams that ended in an error
	Digests []string // only streams of files and uploads with one of these SHA-256, in hexadecimal; nil for any
	Limit   int
}

// InSession is a stream's share of a session.
type InSession struct {
	SessionID string                `json:"session_id"`
	Stream    sessionstreams.Stream `json:"stream"`
}

type row struct {
	Session string `ch:"session_id"`
	sessionstreams.StreamRow
}

// Latest returns one page of streams, sorted by the time of their last frame, latest first. A
// stream with frames in several sessions is listed once per session.
func Latest(ctx context.Context, r *query.Reader, q Query) (*query.Page[InSession], error) {
	rows, err := query.Ask[row](ctx, r, statements, "latest_streams", q,
		query.Liveness(r.Now(), r, q.Tenant).And(query.Args{
			"tenant": q.Tenant, "session": q.Session, "stream": q.Stream, "digests": q.Digests, "limit": q.Limit,
		}))
	if err != nil {
		return nil, err
	}
	page := &query.Page[InSession]{Items: make([]InSession, len(rows))}
	for i := range rows {
		page.Items[i] = InSession{SessionID: rows[i].Session, Stream: rows[i].Stream()}
	}
	return page, nil
}
