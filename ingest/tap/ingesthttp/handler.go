// Package ingesthttp records HTTP request bodies: NDJSON or SSE, read as it arrives.
package ingesthttp

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/keys"
	"tapedeck/ingest/tap/copier"
	"tapedeck/internal/budget"
	"tapedeck/internal/metric"
	"tapedeck/internal/problem"
)

// Options configure a Handler. The zero value of a field means its default.
type Options struct {
	Limits     ingest.Limits // limits of a body and its tags
	FrameLimit int           // bytes; default ingest.DefaultFrameLimit
	// Timeout is how long a body waits, unread, under backpressure from the publisher
	// before the response is 503; default 30 s, longer than a block of a bulk recording waits for
	// the sink.
	Timeout time.Duration
	// Silence is how long a client may send nothing before the response is 408. The default, 0,
	// sets no limit, since agents pause.
	Silence time.Duration
	// Known, if set, returns the session that holds a recording of the bytes with a SHA-256
	// (hexadecimal), and "" if there is none.
	Known func(ctx context.Context, tenant, digest string) (session string, err error)
	// Writers is charged for large frames; nil does not bound them.
	Writers *budget.Budget
	// Keys records requests with idempotency keys; nil refuses them.
	Keys *keys.Store
	Log  *slog.Logger
}

// Handler records what clients send in request bodies.
type Handler struct {
	recorder *ingest.Recorder
	opts     Options
}

// NewHandler returns a handler that records to rec.
func NewHandler(rec *ingest.Recorder, opts Options) *Handler {
	opts.Limits = opts.Limits.WithDefaults()
	if opts.Timeout == 0 {
		opts.Timeout = 30 * time.Second
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{rec, opts}
}

const (
	// answerTimeout bounds how long a client may take to read the answer.
	answerTimeout = 30 * time.Second
	// restTimeout bounds how long the server waits for the rest of a body that is not recorded
	// before it closes the connection.
	restTimeout = time.Second
)

// Ingest records the request's body as one stream of the tenant and answers once every
// frame is durable.
//
// The Content-Type is text/event-stream, application/vnd.amazon.eventstream, or
// application/x-ndjson and its aliases. The Content-Encoding is gzip, zstd or none. Query
// parameters: session, dialect, any number of tag=key:value, digest and again.
//
// A client that sends a file rather than a live stream sends the file's SHA-256 in digest. If there
// is a recording of these bytes, the response is a Known with status 409 and nothing is recorded,
// unless again is on. If the body has another digest, it is recorded and the response is a Failure
// with status 422.
//
// The body may be of any length and take any time: Ingest removes the server's timeouts for the
// request.
//
// A request with the header Idempotency-Key may be repeated. The header Upload-Offset names the
// byte at which the repeated body begins: 0, or any byte up to the durable ones. Bytes that are
// durable are compared and not recorded again. If a body is cut off, an incomplete last frame is
// dropped. The status is 409 for an offset beyond the durable bytes, and for a request that was
// superseded by another request with the same key. It is 410 for a key that is too old, 413 for too
// much content under one key, and 422 for a key that was used with other content or parameters.
//
// A response with status 200 has an Answer. 400 is for invalid parameters, 415 for unsupported
// types and encodings. The response is a Failure with status 503 and Retry-After if frames could
// not be made durable, which includes the end of the request's context when a server shuts down. It
// is a Failure with status 400 if the end of the body is not reached, and with 408 if no input
// arrives for Options.Silence. What was received of a body is kept in every case, and a stream that
// was cut off ends with "error: …".
func (h *Handler) Ingest(w http.ResponseWriter, r *http.Request, tenant string) {
	control := http.NewResponseController(w)
	// Without full duplex the server would read the rest of the body before it responds, and the
	// rest may never end. HTTP/2 does not have this setting and does not need it.
	_ = control.EnableFullDuplex()
	// Without a connection, as in tests of handlers, setting deadlines fails.
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Time{})

	ask, bad := readRequest(r, tenant)
	if bad != nil {
		h.hangUp(w, control)
		problem.Write(w, bad)
		return
	}
	if known := h.known(r.Context(), ask); known != nil {
		h.hangUp(w, control)
		writeJSON(w, problem.ContentType, known.Status, known)
		return
	}
	if err := h.opts.Limits.CheckTags(ask.stream.Tags); err != nil {
		h.hangUp(w, control)
		problem.Write(w, problem.BadParameter("tag", err.Error()))
		return
	}
	if err := h.recorder.MaskNames(&ask.stream); err != nil { // the log of a key contains the names
		h.hangUp(w, control)
		problem.Write(w, problem.BadParameter("session", err.Error()))
		return
	}
	rec, bad := h.begin(ask, r, control)
	if bad != nil {
		h.hangUp(w, control)
		problem.Write(w, bad)
		return
	}
	bodies.Inc()
	defer bodies.Dec()
	answer, failure := rec.run(rec.until(r.Context()))
	rec.release()
	if failure != nil {
		if failure.Status == http.StatusServiceUnavailable {
			notTaken.Inc()
		}
		level := slog.LevelWarn
		if failure.Detail == keys.ErrSuperseded.Error() { // the newer request with the key continues the stream
			level = slog.LevelDebug
		}
		h.opts.Log.Log(r.Context(), level, "ingest: body not recorded to its end", "stream", failure.StreamID, "client", r.RemoteAddr,
			"status", failure.Status, "detail", failure.Detail)
		h.hangUp(w, control)
		failure.write(w)
		return
	}
	if rec.from.ended() { // net/http reads ahead on the connection, and failed
		h.hangUp(w, control)
	}
	_ = control.SetWriteDeadline(time.Now().Add(answerTimeout))
	answer.write(w)
}

// hangUp prepares a response that does not wait for the rest of the body.
func (h *Handler) hangUp(w http.ResponseWriter, control *http.ResponseController) {
	w.Header().Set("Connection", "close")
	_ = control.SetReadDeadline(time.Now().Add(restTimeout))
	_ = control.SetWriteDeadline(time.Now().Add(answerTimeout))
}

// begin opens the stream for a body.
func (h *Handler) begin(ask *request, r *http.Request, control *http.ResponseController) (*recording, *problem.Problem) {
	charged := copier.NewCharged(copier.NewFramer(ask.stream.Transport, h.opts.FrameLimit), h.opts.FrameLimit, h.opts.Writers)
	rec := &recording{
		opts:    h.opts,
		framer:  charged,
		charged: charged,
		offsets: copier.NewOffsets(0, 0),
		digest:  ask.digest,
		from: &deadlineReader{
			body: r.Body, control: control, silence: h.opts.Silence, charges: charged.Charges,
			interrupted: make(chan struct{}), done: make(chan struct{}),
		},
	}
	if ask.encoding == "" && r.ContentLength >= 0 {
		charged.Follows = func(int) int64 { return r.ContentLength - rec.from.read }
	}
	ask.stream.Durable = rec.offsets.Durable
	if ask.key != "" {
		if bad := h.claim(rec, ask, r); bad != nil {
			return nil, bad
		}
	} else {
		var err error
		if rec.stream, err = h.recorder.Open(ask.stream); err != nil {
			return nil, problem.BadParameter("", err.Error())
		}
		rec.streamID = rec.stream.ID()
	}
	if ask.encoding != "" {
		rec.decoding = copier.NewDecoding(ask.encoding, rec.framer)
		rec.decoding.Ratio = h.opts.Limits.Ratio
		rec.framer = rec.decoding
	}
	return rec, nil
}

var (
	bodies = metric.Gauge(metric.Ingest, "tapedeck_ingest_http_bodies",
		"Request bodies that are being recorded now.")
	notTaken = metric.Counter(metric.Ingest, "tapedeck_ingest_http_not_taken_total",
		"Request bodies answered with 503: frames could not be made durable.")
)
