package upload

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/ingest"
	"tapedeck/internal/problem"
)

// ServerOptions say where blocks go and what clients may do. The zero value of
// a field stands for its default.
type ServerOptions struct {
	Next        ingest.Publisher
	Connections int           // at a time; default 1000
	MaxBlock    int64         // bytes; default 64 MiB
	Alive       time.Duration // how often a client gets a sign of life; default 5 s
	Arrived     func()        // called when a client that names its recorder has connected; may be nil
	Log         *slog.Logger
}

func (o *ServerOptions) setDefaults() {
	if o.Connections == 0 {
		o.Connections = 1000
	}
	if o.MaxBlock == 0 {
		o.MaxBlock = 64 << 20
	}
	if o.Alive == 0 {
		o.Alive = 5 * time.Second
	}
	if o.Arrived == nil {
		o.Arrived = func() {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Server takes blocks from clients and hands them to a publisher, those of each
// client in their order.
type Server struct {
	opts    ServerOptions
	serving sync.WaitGroup

	mu      sync.Mutex // guards all below
	clients map[*served]struct{}
	closed  bool
	totals  totals
}

// NewServer makes a server.
func NewServer(opts ServerOptions) *Server {
	opts.setDefaults()
	return &Server{opts: opts, clients: map[*served]struct{}{}}
}

// Blocks serves one client for as long as it stays. What it sends goes to the
// given tenant; a parcel that names another one is refused, unless it names the
// default. With no tenant given each parcel goes where it says.
func (s *Server) Blocks(w http.ResponseWriter, r *http.Request, tenant string) {
	if p := badRequest(r); p != nil {
		problem.Write(w, p)
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	c := &served{server: s, tenant: tenant, recorder: r.Header.Get(RecorderHeader), cancel: cancel, ledger: ledger{wake: make(chan struct{}, 1)}}
	if p := s.admit(c); p != nil {
		problem.Write(w, p)
		return
	}
	defer s.dismiss(c)
	// A server that shuts down may say so by the request's context: the link
	// ends in good order.
	defer context.AfterFunc(r.Context(), c.ledger.close)()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols: []string{Protocol}, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return // Accept has answered
	}
	c.conn = conn
	c.hear()
	if c.recorder != "" {
		s.opts.Arrived()
	}
	c.serve(ctx)
}

// recorderLimit bounds the id of a client's recorder, bytes.
const recorderLimit = 64

// Recorders returns the ids of the recorders whose clients are present.
func (s *Server) Recorders() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, 0, len(s.clients))
	for c := range s.clients {
		if c.recorder != "" && c.present() {
			ids = append(ids, c.recorder)
		}
	}
	return ids
}

// badRequest says why a request cannot become a link; nil if it can.
func badRequest(r *http.Request) *problem.Problem {
	p := &problem.Problem{Title: "Not a link", Status: http.StatusUpgradeRequired}
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		p.Detail = Path + " is for WebSocket connections that carry recordings."
		p.Hint = "Use \"tapedeck record\"; frames can be sent over plain HTTP to /v1/ingest."
		return p
	}
	if id := r.Header.Get(RecorderHeader); len(id) > recorderLimit {
		p.Status = http.StatusBadRequest
		p.Detail = fmt.Sprintf("%s has %d bytes, at most %d may be.", RecorderHeader, len(id), recorderLimit)
		return p
	}
	offered := r.Header.Values("Sec-WebSocket-Protocol")
	for _, line := range offered {
		if slices.ContainsFunc(strings.Split(line, ","), func(name string) bool { return strings.TrimSpace(name) == Protocol }) {
			return nil
		}
	}
	p.Detail = fmt.Sprintf("This server speaks %s, the client %q.", Protocol, strings.Join(offered, ", "))
	p.Hint = "Use the same version of tapedeck on both sides."
	return p
}

// admit counts a client in, or says why not.
func (s *Server) admit(c *served) *problem.Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return &problem.Problem{
			Title: "Shutting down", Status: http.StatusServiceUnavailable, RetryAfter: time.Second,
			Detail: "This server is shutting down.",
		}
	}
	if len(s.clients) >= s.opts.Connections {
		return &problem.Problem{
			Title: "Too many recorders", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
			Detail: fmt.Sprintf("All %d connections that this server keeps for recorders are in use.", s.opts.Connections),
		}
	}
	s.clients[c] = struct{}{}
	s.serving.Add(1)
	return nil
}

func (s *Server) dismiss(c *served) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clients, c)
	s.serving.Done()
}

// Close takes nothing more, waits until what was taken is settled and the
// clients know, and closes their connections. Those left when ctx ends are cut
// off; their clients send again elsewhere or later.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	for c := range s.clients {
		c.ledger.close()
	}
	s.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		s.serving.Wait()
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	left := len(s.clients)
	for c := range s.clients {
		c.cancel()
	}
	s.mu.Unlock()
	<-gone
	return fmt.Errorf("%d recorders were cut off before their blocks were settled: %w", left, context.Cause(ctx))
}

// totals count since the start.
type totals struct{ parcels, bytes, refused uint64 }

var (
	clientsMetric = describe("connections", "Recorders that are connected.")
	parcelsMetric = describe("parcels_total", "Blocks that were taken from recorders and are durable.")
	bytesMetric   = describe("bytes_total", "Bytes of these blocks.")
	refusedMetric = describe("refused_total", "Blocks that were not taken, for now or for good.")
)

func describe(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("tapedeck_link_"+name, help, nil, nil)
}

// Describe implements prometheus.Collector.
func (s *Server) Describe(descs chan<- *prometheus.Desc) { prometheus.DescribeByCollect(s, descs) }

// Collect implements prometheus.Collector.
func (s *Server) Collect(metrics chan<- prometheus.Metric) {
	s.mu.Lock()
	t, clients := s.totals, len(s.clients)
	s.mu.Unlock()
	metrics <- prometheus.MustNewConstMetric(clientsMetric, prometheus.GaugeValue, float64(clients))
	metrics <- prometheus.MustNewConstMetric(parcelsMetric, prometheus.CounterValue, float64(t.parcels))
	metrics <- prometheus.MustNewConstMetric(bytesMetric, prometheus.CounterValue, float64(t.bytes))
	metrics <- prometheus.MustNewConstMetric(refusedMetric, prometheus.CounterValue, float64(t.refused))
}

// count notes what became of a parcel.
func (s *Server) count(bytes int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.totals.refused++
		return
	}
	s.totals.parcels++
	s.totals.bytes += uint64(bytes)
}

var errOver = errors.New("the link is over")
