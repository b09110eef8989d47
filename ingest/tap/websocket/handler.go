package websocket

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/keys"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/budget"
	"tapedeck/internal/metric"
	"tapedeck/internal/origin"
	"tapedeck/internal/problem"
	"tapedeck/schema"
)

// HandlerOptions configure a Handler. The zero value of a field means its default.
type HandlerOptions struct {
	FrameLimit int // bytes; default ingest.DefaultFrameLimit
	// Timeout is how long a connection waits, unread, under backpressure from the publisher
	// before it is closed with code 1013; default 30 s.
	Timeout time.Duration
	// Origins are the origins of pages that may connect, such as https://ui.example.com, or * for
	// all origins. If it is empty, a page must come from this server itself.
	Origins []string
	Limits  ingest.Limits // of tags
	// Writers is charged for large messages; nil does not bound them.
	Writers *budget.Budget
	// Lasting returns a context whose end ends a connection, and a function that is called when the
	// connection has ended. If it is nil, only Shutdown ends connections.
	Lasting func(*http.Request) (context.Context, func())
	// Keys records connections with idempotency keys; nil refuses them.
	Keys *keys.Store
	Log  *slog.Logger
}

// Handler records what clients send over WebSockets.
type Handler struct {
	recorder *ingest.Recorder
	opts     HandlerOptions
	conns    connSet
}

// NewHandler returns a handler that records to rec. Shutdown ends it.
func NewHandler(rec *ingest.Recorder, opts HandlerOptions) *Handler {
	opts.Limits = opts.Limits.WithDefaults()
	if opts.FrameLimit == 0 {
		opts.FrameLimit = ingest.DefaultFrameLimit
	}
	if opts.Timeout == 0 {
		opts.Timeout = 30 * time.Second
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Lasting == nil {
		opts.Lasting = func(*http.Request) (context.Context, func()) { return context.Background(), func() {} }
	}
	h := &Handler{recorder: rec, opts: opts}
	h.conns.init()
	return h
}

// IngestWS upgrades the request to a WebSocket and records its messages as one stream of the
// tenant: each message is one frame. It returns once the connection is upgraded. Recording
// continues in the background, without the resources that a server holds for a request; the end of
// the request's context does not end it. Shutdown waits for connections.
//
// The query parameters are session, dialect, and any number of tag=key:value. The response to an
// invalid parameter is a problem, without an upgrade.
//
// The server sends {"ack":n} when all frames with a seq up to n are durable; one such message may
// acknowledge many frames. Seqs count the client's messages from 0 (a message over the frame limit
// counts once for each piece of that size). Under backpressure from the publisher, the server does
// not read. After Timeout it sends {"error":"…","durable":n}, with n -1 if no frame is durable, and
// closes the connection with code 1013: the client must send everything after n again. If a rate
// limit of the server delayed the frames, the message has the name of the limit in "limit" and the
// time to wait in "retry_after_s", and the close reason names both. The same happens when frames
// cannot be made durable. When the context of Lasting ends, the connection is closed with code
// 1008. If a client sends a frame without a mask, the connection is closed with code 1002; what
// arrived before is recorded.
func (h *Handler) IngestWS(w http.ResponseWriter, r *http.Request, tenant string) {
	so, bad := streamOptions(r, tenant)
	if err := h.opts.Limits.CheckTags(so.Tags); bad == nil && err != nil {
		bad = problem.BadParameter("tag", err.Error())
	}
	if bad == nil && !websocketAsked(r) {
		w.Header().Set("Upgrade", "websocket")
		bad = &problem.Problem{
			Status: http.StatusUpgradeRequired,
			Detail: "This address takes WebSocket connections only.",
			Hint:   "Connect with a WebSocket client, or send NDJSON or SSE to /v1/ingest.",
		}
	}
	if bad == nil {
		bad = origin.Rule{Allowed: h.opts.Origins}.Check(r, "open this WebSocket")
	}
	if bad != nil {
		problem.Write(w, bad)
		return
	}
	if err := h.recorder.MaskNames(&so); err != nil { // the log of a key contains the names
		problem.Write(w, problem.BadParameter("session", err.Error()))
		return
	}
	if !h.conns.enter() {
		problem.Write(w, &problem.Problem{Status: http.StatusServiceUnavailable, Detail: "The server is shutting down."})
		return
	}
	s := newServed(h)
	so.Durable = s.acks.durable
	if bad = s.open(r, so); bad != nil {
		h.conns.leave(s)
		problem.Write(w, bad)
		return
	}
	var err error
	// The Origin was checked before.
	s.conn, err = websocket.Accept(serverSide{w, s.listener}, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	// Accept has answered the client.
	if err != nil {
		h.opts.Log.Info("websocket: handshake failed", "client", r.RemoteAddr, "error", err)
		_ = s.close("error: no WebSocket came about") // nothing was recorded
		h.conns.leave(s)
		return
	}
	s.conn.SetReadLimit(-1) // the framer bounds memory
	s.acks.conn = s.conn
	h.conns.add(s)
	life, release := h.opts.Lasting(r)
	go func() {
		defer release()
		defer context.AfterFunc(life, func() { s.fail(errNotAllowed) })()
		s.serve()
	}()
}

// open begins the stream of a connection.
func (s *served) open(r *http.Request, so ingest.StreamOptions) *problem.Problem {
	if q := r.URL.Query(); q.Has("key") || q.Has("offset") {
		return s.openKeyed(r, q, so)
	}
	var err error
	if s.stream, err = s.handler.recorder.Open(so); err != nil {
		return problem.BadParameter("", err.Error())
	}
	return nil
}

// streamOptions reads the stream's options off a request.
func streamOptions(r *http.Request, tenant string) (ingest.StreamOptions, *problem.Problem) {
	q := r.URL.Query()
	if bad := problem.UnknownParameter(q, "session", "dialect", "tag", "key", "offset", "clock"); bad != nil {
		return ingest.StreamOptions{}, bad
	}
	so := ingest.StreamOptions{
		Tenant: tenant, Session: q.Get("session"), Dialect: q.Get("dialect"),
		Transport: schema.WebSocket, Source: "WebSocket from " + r.RemoteAddr,
	}
	if so.Session != "" {
		if err := ingest.CheckSession(so.Session); err != nil {
			return so, problem.BadParameter("session", err.Error())
		}
	}
	if so.Dialect != "" {
		if _, err := dialects.ByName(so.Dialect); err != nil {
			return so, problem.BadParameter("dialect", err.Error())
		}
	}
	switch v := q.Get("clock"); v {
	case "frame":
		so.FrameClock, so.IfTimed = true, true
	case "", "arrival":
	default:
		return so, problem.BadParameter("clock", fmt.Sprintf("clock %q is unknown", v), "arrival", "frame")
	}
	for _, tag := range q["tag"] {
		key, value, ok := strings.Cut(tag, ":")
		if !ok || key == "" {
			return so, problem.BadParameter("tag", fmt.Sprintf("tag %q is not of the form key:value", tag))
		}
		if so.Tags == nil {
			so.Tags = map[string]string{}
		}
		so.Tags[key] = value
	}
	return so, nil
}

func websocketAsked(r *http.Request) bool {
	return strings.Contains(strings.ToLower(r.Header.Get("Upgrade")), "websocket")
}

var (
	connections = metric.Gauge(metric.Ingest, "tapedeck_ingest_ws_connections",
		"WebSocket connections that send frames now.")
	violations = metric.Counter(metric.Ingest, "tapedeck_ingest_ws_violations_total",
		"WebSocket connections closed because the client sent a frame without a mask.")
	busyClosed = metric.Counter(metric.Ingest, "tapedeck_ingest_ws_pushed_back_total",
		"WebSocket connections closed because their frames could not be recorded.")
)
