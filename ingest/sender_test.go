package ingest

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// taker is a Publisher that takes blocks while it has room, and fails with its errors.
type taker struct {
	room int
	fail map[string]error // by block id
	ids  []string
	done []func(error)
}

func (p *taker) Publish(ctx context.Context, b EncodedBlock, done func(error)) error {
	if err := p.fail[b.ID]; err != nil {
		return err
	}
	if p.room == 0 {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	p.room--
	p.ids, p.done = append(p.ids, b.ID), append(p.done, done)
	return nil
}

// deliver makes a sender with blocks a, b and c, each of ten frames.
func deliver(p *taker, durable *uint64) *sender {
	d := &sender{publisher: p, stream: testStream}
	d.acks.init(0, func(next uint64) { *durable = next })
	for i, id := range []string{"a", "b", "c"} {
		d.send(EncodedBlock{ID: id}, uint64(10*(i+1)))
	}
	return d
}

func TestDeliveryBackpressure(t *testing.T) {
	var durable uint64
	p := &taker{room: 1}
	d := deliver(p, &durable)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.drain(ended); d.err != nil {
		t.Errorf("offer: %v, want none: blocks stay in the queue", err)
	}
	if err := d.drain(ended); !errors.Is(err, context.Canceled) || d.failure() != nil {
		t.Errorf("drain: %v, the stream's error is %v", err, d.failure())
	}
	p.room = 5
	if err := d.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(p.ids, want) {
		t.Errorf("published %q, want %q", p.ids, want)
	}
	for _, step := range []struct {
		block int
		want  uint64
	}{{1, 0}, {0, 20}, {2, 30}} {
		p.done[step.block](nil)
		if durable != step.want {
			t.Errorf("after block %d frames below %d are durable, want %d", step.block, durable, step.want)
		}
	}
	if err := d.acks.wait(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestDeliveryFails(t *testing.T) {
	refused := errors.New("refused")
	for _, c := range []struct {
		name        string
		err         error
		skipDeleted bool
		want        []string
	}{
		{"an error ends the stream", refused, true, []string{"a"}},
		{"a deleted session does not", Permanent(&DeletedError{"deleted"}), true, []string{"a", "c"}},
		{"except when it is the stream's only one", Permanent(&DeletedError{"deleted"}), false, []string{"a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var durable uint64
			p := &taker{room: 5, fail: map[string]error{"b": c.err}}
			d := deliver(p, &durable)
			d.acks.skipDeleted = c.skipDeleted
			err := d.drain(t.Context())
			if fails := len(c.want) == 1; fails != errors.Is(err, c.err) || fails != (d.failure() != nil) {
				t.Errorf("drain: %v, the stream's error is %v", err, d.failure())
			}
			if !slices.Equal(p.ids, c.want) {
				t.Errorf("published %q, want %q", p.ids, c.want)
			}
		})
	}
}
