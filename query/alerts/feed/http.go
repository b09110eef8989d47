package feed

import (
	"cmp"
	"net/http"
	"time"

	"tapedeck/internal/metric"
	"tapedeck/query/alerts"
	"tapedeck/query/endpoint"
)

// Handler serves the stream of alerts.
type Handler struct {
	*endpoint.Base
	Feed *Feed
	// Heartbeat is the interval of comments; default 15 s.
	Heartbeat time.Duration
}

// heartbeat is the default of Handler.Heartbeat.
const heartbeat = 15 * time.Second

// pageSize is how many stored alerts are read at a time.
const pageSize = 500

// The outcomes of a stream.
const (
	left   = "left"   // the client disconnected, its credential ended, or the server was stopped
	stuck  = "stuck"  // the client took nothing for the time of a write
	slow   = "slow"   // more changes waited than may wait
	failed = "failed" // the alerts could not be read
)

var outcomes = metric.CounterVecOf(metric.API, "tapedeck_alerts_streams_total",
	"Streams of GET /v1/alerts by how they ended: left, stuck (the client took nothing for --write-timeout), slow (256 alerts waited for the client), failed.",
	"outcome", left, stuck, slow, failed)

// Stream serves GET /v1/alerts as text/event-stream: first the open alerts that the query selects, or from the id of an
// event on what has changed since, then each begin and end.
func (h Handler) Stream(w http.ResponseWriter, r *http.Request, tenant string) {
	q, at, err := h.parse(r, tenant)
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	sub, err := h.Feed.Subscribe(r.Context(), tenant)
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	defer sub.Close()
	stored, from := q, alerts.Change{}
	if at == nil {
		stored.State = alerts.Open
	} else {
		from.Version = at.Settled()
	}
	read := func(after alerts.Change) ([]alerts.Change, error) {
		if at == nil && q.State == alerts.Ended {
			return nil, nil
		}
		return alerts.ReadChanged(r.Context(), h.Reader, stored, after)
	}
	// The first page is read before the answer begins, so that an error has a status.
	first, err := read(from)
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	s := &stream{query: q, at: at, resumed: at != nil, heartbeat: cmp.Or(h.Heartbeat, heartbeat)}
	if at == nil {
		s.at = sub.Position()
	}
	s.begin(w, h.WriteTimeout)
	outcome, err := s.run(r.Context(), sub, first, read)
	outcomes.WithLabelValues(outcome).Inc()
	if err != nil && r.Context().Err() == nil {
		h.Log.Warn("alerts: a stream was broken off", "outcome", outcome, "tenant", tenant, "error", err)
	}
}

// parse reads the parameters. at is nil for a stream from the open alerts on.
func (h Handler) parse(r *http.Request, tenant string) (q alerts.Query, at *Position, err error) {
	p := endpoint.NewParams(r)
	q = alerts.Parse(p, tenant, h.Clock())
	q.Limit = pageSize
	last := cmp.Or(r.Header.Get("Last-Event-ID"), p.Text("last_event_id"))
	if last != "" {
		if at, err = ParsePosition(last); err != nil {
			p.Refuse("last_event_id", last, err.Error(), "the id of an event of this stream", "nothing, for the open alerts")
		}
	}
	return q, at, p.Done()
}
