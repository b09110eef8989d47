package lease_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/app/lifecycle/lease"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
)

func TestMain(m *testing.M) { localtest.Main(m) }

const bucket = "TAPEDECK_WORK"

// holding is a lease whose work runs until its context ends or finish is closed.
type holding struct {
	js     jetstream.JetStream
	finish chan struct{}
	lost   <-chan struct{}
	ended  chan error
}

// hold begins to hold the lease "x".
func hold(t *testing.T, nc *nats.Conn) *holding {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	h := &holding{js: js, finish: make(chan struct{}), ended: make(chan error, 1)}
	works := make(chan (<-chan struct{}), 1)
	go func() {
		held, err := lease.Hold(t.Context(), nc, "x", "holder", func(ctx context.Context) error {
			works <- ctx.Done()
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-h.finish:
				return nil
			}
		})
		if err == nil && !held {
			err = errors.New("another process holds the lease")
		}
		h.ended <- err
	}()
	h.lost = bounded.Receive(t, works)
	return h
}

// entry returns the entry of the lease; nil if there is none.
func (h *holding) entry(t *testing.T) jetstream.KeyValueEntry {
	t.Helper()
	kv, err := h.js.KeyValue(t.Context(), bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	e, err := kv.Get(t.Context(), "x")
	if err != nil {
		return nil
	}
	return e
}

// put overwrites the entry and returns its revision.
func (h *holding) put(t *testing.T, value []byte) uint64 {
	t.Helper()
	kv, err := h.js.KeyValue(t.Context(), bucket)
	if err != nil {
		t.Fatal(err)
	}
	revision, err := kv.Put(t.Context(), "x", value)
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

// works fails the test unless the work continues until it is finished, without an error.
func (h *holding) works(t *testing.T) {
	t.Helper()
	select {
	case <-h.lost:
		t.Error("the work was ended")
	default:
	}
	close(h.finish)
	if err := bounded.Receive(t, h.ended); err != nil {
		t.Error(err)
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	nc := localtest.NATS(t)
	h := hold(t, nc)
	held, err := lease.Hold(t.Context(), nc, "x", "holder", func(context.Context) error { return nil })
	if err != nil || held {
		t.Errorf("a second holder has it: %v (%v)", held, err)
	}
	h.works(t)
	hold(t, nc).works(t)
}

// TestRenewal loses the answer to a renewal, and then the bucket, as a restart of NATS does.
func TestRenewal(t *testing.T) {
	t.Parallel()
	h := hold(t, localtest.NATS(t))
	revision := h.put(t, h.entry(t).Value())
	bounded.Until(t, "a renewal after a lost answer", func() bool {
		e := h.entry(t)
		return e == nil || e.Revision() > revision
	})
	if err := h.js.DeleteKeyValue(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	ended := false
	bounded.Until(t, "a renewal without the bucket", func() bool {
		select {
		case <-h.lost:
			ended = true
		default:
		}
		return ended || h.entry(t) != nil
	})
	h.works(t)
}

func TestLost(t *testing.T) {
	t.Parallel()
	h := hold(t, localtest.NATS(t))
	h.put(t, []byte("another"))
	bounded.Receive(t, h.lost)
	err := bounded.Receive(t, h.ended)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "lease x in TAPEDECK_WORK was not renewed: another process has it") {
		t.Errorf("the error is %v", err)
	}
	if e := h.entry(t); e == nil || string(e.Value()) != "another" {
		t.Error("the lease of the other process was removed")
	}
}

// TestAway ends the connection: the work is ended before the lease is.
func TestAway(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	nc := localtest.NATS(t)
	h := hold(t, nc)
	nc.Close()
	bounded.Receive(t, h.lost)
	if err := bounded.Receive(t, h.ended); err == nil || !strings.Contains(err.Error(), nats.ErrConnectionClosed.Error()) {
		t.Errorf("the error is %v", err)
	}
}
