package node

import (
	"context"
	"sync/atomic"
	"time"

	"tapedeck/internal/app/health"
	"tapedeck/schema/migrate"
)

// Intervals at which the schema is read: until it is as this program needs it, and afterwards.
const (
	schemaEvery = time.Second
	schemaAgain = 30 * time.Second
)

// schemaWatch holds the state of the database's schema at the last read.
type schemaWatch struct {
	ready chan struct{} // closed when all migrations were applied
	check atomic.Pointer[health.Check]
}

// watchSchema reads the state of the schema until life ends.
func (n *Node) watchSchema(life context.Context) {
	ready := false
	for {
		c, err := n.readSchema(life)
		switch {
		case err == nil:
			n.schema.check.Store(c)
		case n.sink != nil && !ready && life.Err() == nil:
			n.sink.Unreachable(err) // the sink waits for the schema, and its check reports why
		}
		pause := schemaEvery
		if c != nil && c.OK {
			pause = schemaAgain
			if !ready {
				ready = true
				close(n.schema.ready)
			}
		}
		select {
		case <-life.Done():
			return
		case <-time.After(pause):
		}
	}
}

// readSchema returns the check of the schema; the error is an error of ClickHouse.
func (n *Node) readSchema(life context.Context) (*health.Check, error) {
	ctx, cancel := context.WithTimeout(life, readyTimeout)
	defer cancel()
	o := migrate.Options{Program: n.Version}
	s, err := migrate.Read(ctx, n.store, o)
	if err != nil {
		return nil, err
	}
	c := &health.Check{Part: "schema"}
	if err := s.Check(); err != nil {
		c.Detail = err.Error()
		if last := n.schema.check.Load(); last == nil || last.Detail != c.Detail {
			n.Log.Error("node: this program must not use the database", "error", err)
		}
		return c, nil
	}
	c.Detail = s.Missing()
	c.OK = c.Detail == ""
	if c.OK {
		c.Detail = "all migrations are applied"
		return c, nil
	}
	c.Do = `run "tapedeck migrate", or "tapedeck serve" with --migrate`
	if p, err := migrate.Running(ctx, n.store, o); err == nil && p != nil {
		c.Detail, c.Do = p.String()+": "+c.Detail, ""
	}
	return c, nil
}

// afterSchema runs work once the schema is as this program needs it. Until then blocks are left to
// sinks that can store them.
func (n *Node) afterSchema(life context.Context, work func()) {
	n.running.Go(func() {
		select {
		case <-life.Done():
		case <-n.schema.ready:
			work()
		}
	})
}
