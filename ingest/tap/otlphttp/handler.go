// Package otlphttp receives traces and logs over OTLP/HTTP, in binary Protobuf and in JSON, and over
// OTLP/gRPC, and records each export request as a frame. docs/otlp.md describes it.
package otlphttp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/budget"
	"tapedeck/internal/otlpwire"
	"tapedeck/internal/problem"
)

// Options configure a Handler. The zero value of a field means its default.
type Options struct {
	Limits ingest.Limits // Frame bounds a request, its encoding undone
	// Timeout is how long a request waits under backpressure from the publisher before the
	// response is 503; default 10 s, which is how long exporters wait for a response.
	Timeout time.Duration
	// BodyTimeout bounds how long a request's body may take to arrive; default 1 min.
	BodyTimeout time.Duration
	Writers     *budget.Budget // charged for large requests; nil does not bound them
	Log         *slog.Logger
}

// Handler records what exporters send.
type Handler struct {
	recorder *ingest.Recorder
	opts     Options
	traces   *traceIndex
}

// NewHandler returns a handler that records to rec.
func NewHandler(rec *ingest.Recorder, opts Options) *Handler {
	opts.Limits = opts.Limits.WithDefaults()
	if opts.Timeout == 0 {
		opts.Timeout = 10 * time.Second
	}
	if opts.BodyTimeout == 0 {
		opts.BodyTimeout = time.Minute
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{recorder: rec, opts: opts, traces: newTraceIndex(tenantTraces, allTraces)}
}

// Traces answers POST /v1/traces.
//
// The response is 200 once all of the request is durable; items that are not recorded, since their
// session is deleted or has a secret in its name, are counted in its partial success. 400 is for
// bodies that are no export request, 413 for requests beyond a limit, 415 for unsupported types and
// encodings, and 408 for a body that does not arrive; 429 and 503 have Retry-After. All have a
// body of the request's encoding, as section "OTLP/HTTP Response" of the specification demands.
func (h *Handler) Traces(w http.ResponseWriter, r *http.Request, tenant string) {
	h.serve(w, r, tenant, otlpwire.Traces)
}

// Logs answers POST /v1/logs, as Traces does.
func (h *Handler) Logs(w http.ResponseWriter, r *http.Request, tenant string) {
	h.serve(w, r, tenant, otlpwire.Logs)
}

// Metrics answers POST /v1/metrics with 404, which an exporter does not retry.
func (h *Handler) Metrics(w http.ResponseWriter, r *http.Request, _ string) {
	if hasParameter(w, r) {
		return
	}
	a := answerer{json: isJSON(r)}
	count(http.StatusNotFound)
	a.refuse(w, noMetrics())
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request, tenant string, signal otlpwire.Signal) {
	if hasParameter(w, r) {
		return
	}
	a := answerer{json: isJSON(r), signal: signal}
	coding, bad := checkHead(r)
	if bad != nil {
		h.refused(r, signal, bad)
		a.refuse(w, bad)
		return
	}
	rejected, bad := h.receive(r.Context(), tenant, signal, a.json, func(grant *budget.Grant) ([]byte, *problem.Problem) {
		return h.read(w, r, coding, grant)
	})
	if bad != nil {
		h.refused(r, signal, bad)
		a.refuse(w, bad)
		return
	}
	count(http.StatusOK)
	a.accept(w, rejected)
}

// refused counts and logs a request that is not recorded.
func (h *Handler) refused(r *http.Request, signal otlpwire.Signal, bad *problem.Problem) {
	count(bad.Status)
	level := slog.LevelWarn
	if bad.Status < http.StatusInternalServerError {
		level = slog.LevelDebug
	}
	h.opts.Log.Log(r.Context(), level, "otlp: request not recorded", "signal", signal, "client", r.RemoteAddr,
		"status", bad.Status, "detail", bad.Detail)
}

// hasParameter refuses a request whose URL has a parameter. No exporter sends one, so the response
// is a problem as that of other routes.
func hasParameter(w http.ResponseWriter, r *http.Request) bool {
	bad := problem.UnknownParameter(r.URL.Query())
	if bad != nil {
		count(bad.Status)
		problem.Write(w, bad)
	}
	return bad != nil
}

// receive records the request that read returns, its encoding undone.
func (h *Handler) receive(ctx context.Context, tenant string, signal otlpwire.Signal, inJSON bool,
	read func(*budget.Grant) ([]byte, *problem.Problem)) (rejections, *problem.Problem) {
	var none rejections
	if tenant == "" {
		tenant = ingest.DefaultTenant
	}
	grant := h.opts.Writers.Write()
	defer grant.Close()
	body, bad := read(grant)
	if bad != nil {
		return none, bad
	}
	export, err := otlpwire.Parse(body)
	if beyond, ok := errors.AsType[*otlpwire.BoundError](err); ok {
		return none, tooLarge(beyond.Error())
	}
	if err != nil {
		return none, badRequest(err.Error() + ".")
	}
	n := export.Count()
	if n == 0 {
		return none, nil
	}
	if export.Signal != signal || export.JSON != inJSON {
		return none, badRequest("The body is not an export request for " + string(signal) + " in the encoding of its Content-Type.")
	}
	parts, traces, bad := h.divide(body, export, tenant)
	if bad != nil {
		return none, bad
	}
	rejected, err := h.record(ctx, tenant, signal, parts)
	if err != nil {
		return none, failure(err)
	}
	h.remember(tenant, traces, parts)
	items.WithLabelValues(string(signal)).Add(float64(n - rejected.count))
	bytesTotal.WithLabelValues(string(signal)).Add(float64(len(body)))
	rejectedTotal.WithLabelValues(string(signal)).Add(float64(rejected.count))
	return rejected, nil
}

func badRequest(detail string) *problem.Problem {
	return &problem.Problem{Status: http.StatusBadRequest, Detail: detail}
}

// errOverloaded ends a recording that waits too long for the publisher.
var errOverloaded = errors.New("the recorder is overloaded")

func (h *Handler) timeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, h.opts.Timeout, errOverloaded)
}
