package upload

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/ingest"
	"tapedeck/ingest/recorders"
	"tapedeck/internal/budget"
	"tapedeck/internal/metric"
	"tapedeck/internal/problem"
	"tapedeck/internal/slow"
)

// ServerOptions configure where blocks go and what clients may do. The zero value of a field means
// its default.
type ServerOptions struct {
	Next     ingest.Publisher
	Requests int   // concurrent requests; default 1000
	MaxBlock int64 // bytes; default 64 MiB
	// Busy is how long the publisher may accept no block before a request is answered with 429;
	// default 5 s.
	Busy    time.Duration
	Arrive  *slow.Timeout // how long one block may take to arrive; default 1 min
	Confirm time.Duration // how long the blocks of a request may take to become durable; default 15 s
	Alive   time.Duration // interval of the empty requests of clients; default 5 s
	Arrived func()        // called at a recorder's first request; may be nil
	// Writers is charged for large blocks; nil does not bound them.
	Writers *budget.Budget
	Log     *slog.Logger
}

func (o *ServerOptions) setDefaults() {
	if o.Requests == 0 {
		o.Requests = 1000
	}
	if o.MaxBlock == 0 {
		o.MaxBlock = 64 << 20
	}
	if o.Busy == 0 {
		o.Busy = 5 * time.Second
	}
	if o.Confirm == 0 {
		o.Confirm = 15 * time.Second
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

// absentAfter is the number of intervals of Alive without a request after which a recorder counts
// as absent.
const absentAfter = 3

const (
	// recorderLimit bounds the id of a client's recorder, bytes.
	recorderLimit = 64
	// recordersOfTenant bounds the recorders of one tenant that are announced, so that one tenant
	// cannot use the room of others. More recorders may send.
	recordersOfTenant = 10_000
)

// Server accepts blocks from clients and passes them to a publisher, the blocks of each request in
// their order.
type Server struct {
	opts    ServerOptions
	life    context.Context // ends when requests must end at once
	end     context.CancelFunc
	serving sync.WaitGroup

	mu        sync.Mutex // guards all below
	requests  int
	recorders map[string]*presence // by announced
	of        map[string]int       // number of recorders of each tenant
	closed    bool
	totals    totals
}

// presence describes a recorder that is connected to a server.
type presence struct {
	tenant   string
	requests int       // requests that are being served
	last     time.Time // when the last request ended
}

// totals counts since the start.
type totals struct{ blocks, bytes, refused uint64 }

// NewServer makes a server.
func NewServer(opts ServerOptions) *Server {
	opts.setDefaults()
	s := &Server{opts: opts, recorders: map[string]*presence{}, of: map[string]int{}}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Blocks serves one request. Its blocks go to the given tenant. A block that names another tenant
// is refused, unless it names the default tenant. If no tenant is given, each block goes to the
// tenant that it names.
func (s *Server) Blocks(w http.ResponseWriter, r *http.Request, tenant string) {
	if p := badRequest(r); p != nil {
		problem.Write(w, p)
		return
	}
	recorder := r.Header.Get(RecorderHeader)
	if p := s.admit(tenant, recorder); p != nil {
		problem.Write(w, p)
		return
	}
	defer s.dismiss(tenant, recorder)
	(&request{server: s, tenant: tenant}).serve(w, r)
}

// badRequest returns the problem of a request that violates the protocol.
func badRequest(r *http.Request) *problem.Problem {
	if got := r.Header.Get("Content-Type"); got != ContentType {
		return &problem.Problem{
			Title: "Not blocks", Status: http.StatusUnsupportedMediaType,
			Detail: fmt.Sprintf("%s takes %s, not %q.", Path, ContentType, got),
			Hint:   "Use \"tapedeck record\" of the same version as the server; frames can be sent to /v1/ingest.",
		}
	}
	if id := r.Header.Get(RecorderHeader); len(id) > recorderLimit {
		return &problem.Problem{
			Status: http.StatusBadRequest, Parameter: RecorderHeader,
			Detail: fmt.Sprintf("%s has %d bytes, the limit is %d.", RecorderHeader, len(id), recorderLimit),
		}
	}
	return nil
}

// announced returns the id under which a tenant's recorder is announced.
func announced(tenant, recorder string) string {
	if tenant == "" { // the client may name any tenant
		return recorder
	}
	return recorders.Of(tenant, recorder)
}

// admit counts a request, or returns the problem to answer it with.
func (s *Server) admit(tenant, recorder string) *problem.Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return shuttingDown()
	}
	if s.requests >= s.opts.Requests {
		return &problem.Problem{
			Title: "Too many recorders", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
			Detail: fmt.Sprintf("All %d requests with blocks that this server takes at a time are being served.",
				s.opts.Requests),
		}
	}
	s.requests++
	s.serving.Add(1)
	if recorder == "" {
		return nil
	}
	id := announced(tenant, recorder)
	p := s.recorders[id]
	if p == nil && s.of[tenant] >= recordersOfTenant {
		s.forget()
	}
	if p == nil && s.of[tenant] >= recordersOfTenant {
		return nil
	}
	if p == nil || !s.present(p) {
		if p == nil {
			s.of[tenant]++
		}
		p = &presence{tenant: tenant}
		s.recorders[id] = p
		defer s.opts.Arrived() // Arrived does not wait
	}
	p.requests++
	return nil
}

// forget removes the recorders that are not present. mu is held.
func (s *Server) forget() {
	for id, p := range s.recorders {
		if s.present(p) {
			continue
		}
		delete(s.recorders, id)
		if s.of[p.tenant]--; s.of[p.tenant] == 0 {
			delete(s.of, p.tenant)
		}
	}
}

func (s *Server) dismiss(tenant, recorder string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests--
	s.serving.Done()
	if p := s.recorders[announced(tenant, recorder)]; p != nil {
		p.requests--
		p.last = time.Now()
	}
}

// present reports whether a recorder counts as present. mu is held.
func (s *Server) present(p *presence) bool {
	return p.requests > 0 || time.Since(p.last) < absentAfter*s.opts.Alive
}

// Recorders returns the recorders that are present, as recorders.Of names them.
func (s *Server) Recorders() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	return slices.Collect(maps.Keys(s.recorders))
}

func (s *Server) closing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Close accepts no more blocks and waits until the accepted blocks are settled and the requests are
// answered. When ctx ends, it answers the remaining requests with the blocks that are settled by
// then; their clients send the other blocks again.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serving.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	left := s.requests
	s.mu.Unlock()
	s.end()
	<-done
	if left == 0 {
		return nil
	}
	return fmt.Errorf("%d requests of recorders ended before their blocks were durable: %w", left, context.Cause(ctx))
}

var (
	recordersMetric = describe("recorders", "Recorders that send blocks, or signs of life.")
	blocksMetric    = describe("blocks_total", "Blocks that were taken from recorders and are durable.")
	bytesMetric     = describe("bytes_total", "Bytes of these blocks.")
	refusedMetric   = describe("refused_total", "Blocks that were not taken, for now or permanently.")
)

func describe(name, help string) *prometheus.Desc {
	kind := metric.GaugeKind
	if strings.HasSuffix(name, "_total") {
		kind = metric.CounterKind
	}
	return metric.Define(metric.Ingest, kind, "tapedeck_upload_"+name, help).Desc()
}

// Describe implements prometheus.Collector.
func (s *Server) Describe(descs chan<- *prometheus.Desc) { prometheus.DescribeByCollect(s, descs) }

// Collect implements prometheus.Collector.
func (s *Server) Collect(metrics chan<- prometheus.Metric) {
	recorders := len(s.Recorders())
	s.mu.Lock()
	t := s.totals
	s.mu.Unlock()
	metrics <- prometheus.MustNewConstMetric(recordersMetric, prometheus.GaugeValue, float64(recorders))
	metrics <- prometheus.MustNewConstMetric(blocksMetric, prometheus.CounterValue, float64(t.blocks))
	metrics <- prometheus.MustNewConstMetric(bytesMetric, prometheus.CounterValue, float64(t.bytes))
	metrics <- prometheus.MustNewConstMetric(refusedMetric, prometheus.CounterValue, float64(t.refused))
}

// count records the outcome of a block.
func (s *Server) count(bytes int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.totals.refused++
		return
	}
	s.totals.blocks++
	s.totals.bytes += uint64(bytes)
}
