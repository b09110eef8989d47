package sessionstreams

import (
	"context"

	"tapedeck/query"
)

// Query asks for the streams in which something arrived last.
type Query struct {
	Tenant  string
	Session string // only those with frames in this session; "" for any
	Stream  string // only this one; "" for any
	Active  bool   // only those that have not ended and whose recorders are alive
	Failed  bool   // only those that ended in an error
	Digest  string // only those of a file or an upload with this SHA-256, in hexadecimal; "" for any
	Limit   int
}

// InSession is a stream's part in a session.
type InSession struct {
	SessionID string `json:"session_id"`
	Stream    Stream `json:"stream"`
}

type sessionStreamRow struct {
	Session string `ch:"session_id"`
	streamRow
}

// Latest lists streams, the one in which something arrived last first. A stream
// with frames in several sessions is there once for each. There is one page.
func Latest(ctx context.Context, r *query.Reader, q Query) (*query.Page[InSession], error) {
	rows, err := query.Ask[sessionStreamRow](ctx, r, statements, "latest_streams", q, query.Liveness(r.Now(), r, q.Tenant).And(query.Args{
		"tenant": q.Tenant, "session": q.Session, "stream": q.Stream, "digest": q.Digest, "limit": q.Limit,
	}))
	if err != nil {
		return nil, err
	}
	page := &query.Page[InSession]{Items: make([]InSession, len(rows))}
	for i := range rows {
		page.Items[i] = InSession{SessionID: rows[i].Session, Stream: rows[i].stream()}
	}
	return page, nil
}
