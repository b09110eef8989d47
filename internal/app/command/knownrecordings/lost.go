package knownrecordings

import (
	"context"
	"net/url"
	"time"

	"tapedeck/ingest/tap/agenthistory"
	"tapedeck/query"
	"tapedeck/query/session/streamlist"
)

// storedWithin bounds the time until recorded streams can be read from the server. Lost does not
// look up newer streams.
const storedWithin = 2 * time.Minute

// askedLatest and askedOthers are the numbers of sessions that Lost looks up: the latest ones and
// others of all ages, since users may delete the latest ones.
const (
	askedLatest = 3
	askedOthers = 5
)

// Lost reports whether the server has none of the recorded sessions, as far as a sample of them
// shows. Then another server has the address now, or the data was removed. Lost returns false if the
// server does not answer.
func Lost(ctx context.Context, server Server, p *agenthistory.Progress) (bool, error) {
	sample := p.Sample(askedLatest, askedOthers, time.Now().Add(-storedWithin))
	if len(sample) == 0 {
		return false, nil
	}
	api, err := server()
	if err != nil {
		return false, err
	}
	asking, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	if !mayRead(asking, api) {
		return false, ctx.Err()
	}
	for _, r := range sample {
		var page query.Page[streamlist.InSession]
		err := api.Get(asking, "v1/streams", url.Values{"session": {r.Session}, "stream": {r.Stream}, "limit": {"1"}},
			&page)
		if err != nil || len(page.Items) > 0 {
			return false, ctx.Err()
		}
	}
	return true, nil
}
