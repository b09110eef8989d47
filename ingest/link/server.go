package link

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
	"tapedeck/schema/problem"
)

// ServerOptions say where blocks go. The zero value of a field stands for its
// default.
type ServerOptions struct {
	Next        ingest.Publisher
	Connections int // at a time; default 1000
	Log         *slog.Logger
}

// Server takes blocks from clients and hands them to a publisher, in the order
// in which they come.
type Server struct {
	opts  ServerOptions
	slots chan struct{}
}

// NewServer makes a server.
func NewServer(opts ServerOptions) *Server {
	if opts.Connections == 0 {
		opts.Connections = 1000
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{opts: opts, slots: make(chan struct{}, opts.Connections)}
}

const (
	// answerTimeout is how long a client may take to read an answer.
	answerTimeout = 10 * time.Second
	// pingEvery finds connections whose client is gone without a word.
	pingEvery = 20 * time.Second
)

// Blocks serves one client. Every block goes to the given tenant, whatever the
// client or the block says.
func (s *Server) Blocks(w http.ResponseWriter, r *http.Request, tenant string) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		problem.Write(w, &problem.Problem{
			Title: "Too many recorders", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
			Detail: fmt.Sprintf("All %d connections that this server keeps for recorders are in use.", s.opts.Connections),
		})
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols: []string{Protocol}, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow()
	if conn.Subprotocol() != Protocol {
		_ = conn.Close(websocket.StatusPolicyViolation, "this server speaks "+Protocol) // said or not, it is over
		return
	}
	conn.SetReadLimit(messageLimit)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &served{conn: conn, next: s.opts.Next, tenant: tenant, settled: map[uint64]*refusal{}, wake: make(chan struct{}, 1)}
	var answering sync.WaitGroup
	answering.Go(func() {
		defer cancel()
		c.answer(ctx)
	})
	err = c.read(ctx)
	cancel()
	answering.Wait()
	if err != nil && websocket.CloseStatus(err) != websocket.StatusNormalClosure && r.Context().Err() == nil {
		s.opts.Log.Debug("a recorder's connection broke", "error", err)
	}
}

// served is one client's connection.
type served struct {
	conn   *websocket.Conn
	next   ingest.Publisher
	tenant string
	wake   chan struct{} // something settled

	mu        sync.Mutex // guards all below
	confirmed uint64
	settled   map[uint64]*refusal // beyond confirmed; nil for taken
}

// read hands blocks on. While the publisher pushes back, nothing is read.
func (c *served) read(ctx context.Context) error {
	for number := uint64(1); ; number++ {
		kind, message, err := c.conn.Read(ctx)
		if err != nil {
			return err
		}
		if kind != websocket.MessageBinary {
			_ = c.conn.Close(websocket.StatusUnsupportedData, "blocks are binary messages") // said or not, it is over
			return errParcel
		}
		parcel, err := parseParcel(message)
		if err != nil {
			c.settle(number, ingest.Permanent(err))
			continue
		}
		parcel.Tenant = c.tenant
		err = c.next.Publish(ctx, parcel, func(err error) { c.settle(number, err) })
		if err != nil {
			c.settle(number, err)
		}
	}
}

func (c *served) settle(number uint64, err error) {
	var r *refusal
	if err != nil {
		r = &refusal{Message: number, Reason: err.Error(), Permanent: ingest.IsPermanent(err)}
	}
	c.mu.Lock()
	c.settled[number] = r
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// take gives what is to be answered, if anything.
func (c *served) take() (answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.confirmed
	var a answer
	for {
		r, ok := c.settled[c.confirmed+1]
		if !ok {
			break
		}
		c.confirmed++
		delete(c.settled, c.confirmed)
		if r != nil {
			a.Refused = append(a.Refused, *r)
		}
	}
	a.Confirmed = c.confirmed
	return a, c.confirmed > before
}

// answer tells the client what settled, as long as the connection stands.
func (c *served) answer(ctx context.Context) {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ping.C:
			if c.limited(ctx, c.conn.Ping) != nil {
				return
			}
			continue
		case <-c.wake:
		}
		a, more := c.take()
		if !more {
			continue
		}
		text, err := json.Marshal(a)
		if err != nil {
			return // numbers and texts: it cannot be
		}
		if c.limited(ctx, func(ctx context.Context) error { return c.conn.Write(ctx, websocket.MessageText, text) }) != nil {
			return
		}
	}
}

func (c *served) limited(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	return do(ctx)
}
