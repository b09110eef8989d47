package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/metric"
	"tapedeck/internal/problem"
	"tapedeck/internal/slow"
	"tapedeck/query"
	"tapedeck/query/pricing/pricetables"
)

// Base holds the dependencies of all handlers. It is safe for use by many goroutines.
type Base struct {
	Reader *query.Reader
	Log    *slog.Logger
	Clock  func() time.Time // the meaning of "now" in parameters
	Prices *pricetables.Store
	// WriteTimeout is how long a client may take to accept one write.
	WriteTimeout *slow.Timeout
}

// Tenant is a handler of a route of a tenant.
type Tenant = func(w http.ResponseWriter, r *http.Request, tenant string)

// Session is a handler of a route of one session.
type Session = func(w http.ResponseWriter, r *http.Request, tenant, session string)

// Answer writes a result, or a problem if err is not nil.
func (b *Base) Answer(w http.ResponseWriter, r *http.Request, result any, err error) {
	if err != nil {
		b.Fail(w, r, err)
		return
	}
	b.AnswerJSON(w, r, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(result)
	})
}

// AnswerJSON answers with the JSON that a function writes.
func (b *Base) AnswerJSON(w http.ResponseWriter, r *http.Request, write func(io.Writer) error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if err := write(slow.NewWriter(w, b.WriteTimeout)); err != nil {
		b.Broken(r, err)
	}
}

// Fail answers with a problem. It must be called before the first byte of the body is written.
func (b *Base) Fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		problem.Write(w, problem.Ended(r.Context())) // the connection may still be open
		return
	}
	p, known := problem.From(err)
	member, isShardAway := shardAway(err)
	switch {
	case known:
	case away(err):
		b.Log.Warn("query: ClickHouse does not answer", "path", r.URL.Path, "error", err)
		p = &problem.Problem{
			Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
			Detail: "The database does not answer at the moment.",
			Hint:   "Try again in a few seconds; /readyz reports when it is back.",
		}
	case isShardAway:
		b.Log.Warn("query: a shard of ClickHouse does not answer", "path", r.URL.Path, "error", err)
		p = &problem.Problem{
			Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
			Detail: "The shard of the database" + member + " does not answer at the moment, and this answer needs it.",
			Hint:   "Try again when /readyz reports that it is back. Lists and reports are answered without it.",
		}
	case busy(err):
		b.Log.Warn("query: ClickHouse abandoned a query", "path", r.URL.Path, "error", err)
		p = &problem.Problem{
			Status: http.StatusServiceUnavailable, RetryAfter: 10 * time.Second, Limit: limitOf(err),
			Detail: "The database stopped this query: it took too long or too much memory.",
			Hint:   "Ask for a shorter range or fewer groupings, or try again when the server has less to do.",
		}
		if p.Limit != "" {
			p.Detail = "The database stopped this query: it reached the limit --" + p.Limit + "."
			abandoned.WithLabelValues(p.Limit).Inc()
		}
	default:
		b.Log.Error("query: failed", "path", r.URL.Path, "error", err)
	}
	problem.Write(w, p)
}

// Broken aborts an answer that has begun and cannot be completed. It closes the connection in the
// middle of the body, so that the client notices.
func (b *Base) Broken(r *http.Request, err error) {
	if r.Context().Err() == nil {
		b.Log.Warn("query: answer broken off", "path", r.URL.Path, "error", err)
	}
	panic(http.ErrAbortHandler)
}

// away reports whether err means that ClickHouse cannot be reached.
func away(err error) bool {
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return true
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, clickhouse.ErrAcquireConnTimeout) || errors.Is(err, context.DeadlineExceeded)
}

// busy reports whether err means that ClickHouse stopped a query.
func busy(err error) bool {
	e, ok := errors.AsType[*clickhouse.Exception](err)
	if !ok {
		return false
	}
	switch e.Code {
	case 158, // TOO_MANY_ROWS
		159, // TIMEOUT_EXCEEDED
		160, // TOO_SLOW
		202, // TOO_MANY_SIMULTANEOUS_QUERIES
		236, // ABORTED, for example at shutdown
		241, // MEMORY_LIMIT_EXCEEDED
		394: // QUERY_WAS_CANCELLED
		return true
	}
	return false
}

// The limits of statements, by the flags that set them.
const (
	queryRows   = "query-rows"
	queryTime   = "query-time"
	queryMemory = "query-memory"
)

// limitOf returns the flag of the limit that ended a statement; "" for none.
func limitOf(err error) string {
	if e, ok := errors.AsType[*clickhouse.Exception](err); ok {
		switch e.Code {
		case 158:
			return queryRows
		case 159:
			return queryTime
		case 241:
			return queryMemory
		}
	}
	return ""
}

var abandoned = metric.CounterVecOf(metric.API, "tapedeck_query_limits_total",
	"Queries that ClickHouse stopped because of a limit, by the limit.", "limit", queryRows, queryTime, queryMemory)
