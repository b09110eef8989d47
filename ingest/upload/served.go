package upload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
)

const (
	// answerTimeout is how long a client may take to read an answer.
	answerTimeout = 10 * time.Second
	// gatherAcks is how long an acknowledgement waits for others while there
	// are parcels that will need one, too.
	gatherAcks = time.Millisecond
)

// served is a client's connection, seen from the server.
type served struct {
	server   *Server
	conn     *websocket.Conn
	tenant   string
	recorder string             // the client's; "" if it named none
	cancel   context.CancelFunc // ends the connection
	ledger   ledger

	heard   atomic.Int64 // when the client answered last, ns since 1970; 0 before it is connected
	passing atomic.Bool  // a parcel waits for the publisher, and nothing more is read
	pinging atomic.Bool  // a ping is unanswered
}

// absentAfter is how long a client may leave pings unanswered before its recorder is
// left out of heartbeats.
const absentAfter = 30 * time.Second

func (c *served) hear() { c.heard.Store(time.Now().UnixNano()) }

// present reports whether the client has sent something within absentAfter, or waits
// for the publisher.
func (c *served) present() bool {
	heard := c.heard.Load()
	return heard != 0 && (c.passing.Load() || time.Since(time.Unix(0, heard)) < absentAfter)
}

// ping sends a ping, unless one is unanswered.
func (c *served) ping(ctx context.Context) {
	if c.recorder == "" || !c.pinging.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer c.pinging.Store(false)
		ctx, cancel := context.WithTimeout(ctx, absentAfter)
		defer cancel()
		if c.conn.Ping(ctx) == nil {
			c.hear()
		}
	}()
}

// serve takes parcels until the connection ends.
func (c *served) serve(ctx context.Context) {
	c.conn.SetReadLimit(c.server.opts.MaxBlock + maxNames + messageHead)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		defer c.cancel()
		c.answer(ctx)
	}()
	err := c.read(ctx)
	if errors.Is(err, errOver) {
		<-answered // it tells the client, and closes the connection
	}
	c.cancel()
	<-answered
	c.conn.CloseNow()
	if err != nil && !errors.Is(err, errOver) && websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		c.server.opts.Log.Debug("a recorder's connection broke", "reason", err)
	}
}

// read hands parcels on. While the publisher pushes back, nothing is read.
func (c *served) read(ctx context.Context) error {
	for {
		kind, r, err := c.conn.Reader(ctx)
		if err != nil {
			return err
		}
		if kind != websocket.MessageBinary {
			return c.violated(websocket.StatusUnsupportedData, "parcels are binary messages")
		}
		parcel, err := readMessage(r, c.server.opts.MaxBlock)
		if _, tooLarge := errors.AsType[*tooLargeError](err); tooLarge {
			return c.violated(websocket.StatusMessageTooBig, err.Error())
		}
		if errors.Is(err, errMessage) {
			return c.violated(websocket.StatusInvalidFramePayloadData, err.Error())
		}
		if err != nil {
			return err
		}
		number, ok := c.ledger.enter()
		if !ok {
			return errOver
		}
		c.hear()
		c.passing.Store(true)
		c.pass(ctx, number, parcel)
		c.passing.Store(false)
		c.hear()
	}
}

// violated ends a connection whose client does not keep to the protocol.
func (c *served) violated(code websocket.StatusCode, reason string) error {
	_ = c.conn.Close(code, reason) // heard or not, it is over
	return fmt.Errorf("a recorder does not keep to the protocol: %s", reason)
}

// pass hands one parcel to the publisher.
func (c *served) pass(ctx context.Context, number uint64, p ingest.EncodedBlock) {
	settle := func(err error) {
		c.server.count(len(p.Data), err)
		c.ledger.settle(number, err)
	}
	err := c.admit(&p)
	if err == nil {
		err = c.server.opts.Next.Publish(ctx, p, settle)
	}
	if err != nil {
		settle(err)
	}
}

// admit checks what a client says of a parcel, and puts it to its tenant.
func (c *served) admit(p *ingest.EncodedBlock) error {
	if p.Tenant == "" {
		p.Tenant = ingest.DefaultTenant
	}
	if c.tenant != "" {
		if p.Tenant != c.tenant && p.Tenant != ingest.DefaultTenant {
			return ingest.Permanent(fmt.Errorf("the token belongs to tenant %q, the block to %q: leave the tenant out, or use that tenant's token", c.tenant, p.Tenant))
		}
		p.Tenant = c.tenant
	}
	if err := ingest.CheckTenant(p.Tenant); err != nil {
		return ingest.Permanent(err)
	}
	if err := ingest.CheckSession(p.Session); err != nil {
		return ingest.Permanent(err)
	}
	if p.ID == "" || len(p.Data) == 0 {
		return ingest.Permanent(errors.New("a parcel needs an id and a block"))
	}
	return nil
}

// answer tells the client what it is to know, until the connection ends or is
// to end.
func (c *served) answer(ctx context.Context) {
	o := &c.server.opts
	err := c.write(ctx, answer{Hello: &hello{Tenant: c.tenant, MaxBlock: o.MaxBlock, AliveMS: o.Alive.Milliseconds()}})
	alive := time.NewTicker(o.Alive)
	defer alive.Stop()
	for err == nil {
		select {
		case <-ctx.Done():
			return
		case <-alive.C:
			err = c.write(ctx, answer{})
			c.ping(ctx)
			continue
		case <-c.ledger.wake:
		}
		n := c.ledger.take()
		for i := range n.refusals {
			if err == nil {
				err = c.write(ctx, answer{Refused: &n.refusals[i]})
			}
		}
		if n.ack != nil && err == nil {
			err = c.write(ctx, answer{Ack: n.ack})
		}
		switch {
		case err != nil:
		case n.broken:
			c.conn.Close(websocket.StatusTryAgainLater, "a block could not be taken")
			return
		case n.closed && !n.open:
			c.conn.Close(websocket.StatusGoingAway, "the server is shutting down")
			return
		case n.open:
			gather(ctx)
		}
	}
}

// gather waits a moment, so that one acknowledgement serves many parcels.
func gather(ctx context.Context) {
	t := time.NewTimer(gatherAcks)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func (c *served) write(ctx context.Context, a answer) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	return c.conn.Write(ctx, websocket.MessageText, text)
}
