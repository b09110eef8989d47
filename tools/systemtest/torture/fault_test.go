package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
)

// fault is something that goes wrong for a while; cluster.heal takes it back.
type fault struct {
	name string
	do   func(ctx context.Context, c *cluster, l *load) error
}

// faults returns all that can happen. long is how long a fault lasts that lasts.
func faults(long time.Duration) []fault {
	var all []fault
	add := func(name string, do func(ctx context.Context, c *cluster, l *load) error) {
		all = append(all, fault{name, do})
	}
	for name, part := range map[string]func(c *cluster) *process{
		"nats":   func(c *cluster) *process { return c.broker },
		"ingest": func(c *cluster) *process { return c.ingest },
		"sink":   func(c *cluster) *process { return c.sinks[rand.IntN(sinks)] },
		"api":    func(c *cluster) *process { return c.api },
	} {
		add("kill "+name, func(_ context.Context, c *cluster, _ *load) error {
			part(c).end(syscall.SIGKILL)
			return nil
		})
		add("kill "+name+" and leave it", func(ctx context.Context, c *cluster, _ *load) error {
			part(c).end(syscall.SIGKILL)
			return wait(ctx, long)
		})
		add("restart "+name, func(_ context.Context, c *cluster, _ *load) error {
			part(c).end(syscall.SIGTERM)
			return nil
		})
		add("stop "+name, func(ctx context.Context, c *cluster, _ *load) error {
			part(c).signal(syscall.SIGSTOP)
			return wait(ctx, long)
		})
	}
	add("kill both sinks", func(ctx context.Context, c *cluster, _ *load) error {
		for _, s := range c.sinks {
			s.end(syscall.SIGKILL)
		}
		return wait(ctx, long)
	})
	add("kill clickhouse", func(_ context.Context, c *cluster, _ *load) error { return c.signalEngine(syscall.SIGKILL) })
	add("stop clickhouse", func(ctx context.Context, c *cluster, _ *load) error {
		return errors.Join(c.signalEngine(syscall.SIGSTOP), wait(ctx, long))
	})
	add("kill the tap", func(_ context.Context, _ *cluster, l *load) error {
		l.killTap()
		return nil
	})
	add("kill everything", func(ctx context.Context, c *cluster, l *load) error {
		l.killTap()
		for _, p := range c.parts() {
			p.end(syscall.SIGKILL)
		}
		return errors.Join(c.signalEngine(syscall.SIGKILL), wait(ctx, long/4))
	})
	for name, which := range map[string]func(c *cluster) *wire{
		"to nats":       func(c *cluster) *wire { return c.natsWire },
		"to clickhouse": func(c *cluster) *wire { return c.tableWire },
		"of sources":    func(c *cluster) *wire { return c.ingestWire },
	} {
		add("cut connections "+name, func(ctx context.Context, c *cluster, _ *load) error {
			for range 5 {
				which(c).cut()
				if err := wait(ctx, long/10); err != nil {
					return err
				}
			}
			return nil
		})
		add("sever connections "+name, func(ctx context.Context, c *cluster, _ *load) error {
			which(c).sever()
			return wait(ctx, long)
		})
	}
	add("slow connections to nats", func(ctx context.Context, c *cluster, l *load) error {
		c.natsWire.slow(20 * time.Millisecond)
		l.sources.Go(func() { l.bulk(ctx, 60) }) // so that other faults hit it in flight
		return wait(ctx, 200*time.Millisecond)
	})
	add("fill nats's disk", fillNATS(long))
	add("fill the spool", fillSpool(long))
	for _, r := range refusals() {
		add("clickhouse refuses: "+r.name, func(ctx context.Context, c *cluster, _ *load) error {
			return errors.Join(r.begin(ctx, c), wait(ctx, long))
		})
	}
	add("deliver everything again", func(ctx context.Context, c *cluster, _ *load) error { return c.forget(ctx) })
	add("publish everything again", func(ctx context.Context, c *cluster, _ *load) error { return c.repeat(ctx) })
	return all
}

// fillNATS leaves JetStream no room. Its stream takes nothing more until the
// broker has found that there is room again.
func fillNATS(long time.Duration) func(context.Context, *cluster, *load) error {
	return func(ctx context.Context, c *cluster, _ *load) error {
		if err := c.natsDisk.fill(64 << 10); err != nil {
			return err
		}
		err := wait(ctx, long)
		c.natsDisk.free()
		return err
	}
}

// fillSpool takes NATS away and leaves the spool no room: sources are pushed back.
func fillSpool(long time.Duration) func(context.Context, *cluster, *load) error {
	return func(ctx context.Context, c *cluster, _ *load) error {
		c.natsWire.sever()
		if err := c.spoolDisk.fill(256 << 10); err != nil {
			return err
		}
		return wait(ctx, 2*long)
	}
}

func (c *cluster) signalEngine(s syscall.Signal) error {
	if pid := c.engine.Health().PID; pid != 0 {
		if err := syscall.Kill(pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("signal ClickHouse: %w", err)
		}
	}
	return nil
}

// forget removes the sinks' consumer: another is made, and all blocks that
// JetStream still has are delivered again.
func (c *cluster) forget(ctx context.Context) error {
	return c.jetStream(ctx, func(js njs.JetStream) error {
		err := js.DeleteConsumer(ctx, jetstream.StreamName, sink.ConsumerName)
		if errors.Is(err, njs.ErrConsumerNotFound) {
			return nil
		}
		return err
	})
}

// repeatLimit bounds the blocks that are published again.
const repeatLimit = 500

// repeat publishes what JetStream has once more, as a tap does that did not learn
// of a confirmation, and so late that JetStream does not know it.
func (c *cluster) repeat(ctx context.Context) error {
	return c.jetStream(ctx, func(js njs.JetStream) error {
		s, err := js.Stream(ctx, jetstream.StreamName)
		if err != nil {
			return err
		}
		state := s.CachedInfo().State
		for seq := max(state.FirstSeq, state.LastSeq-min(state.LastSeq, repeatLimit)); seq <= state.LastSeq; seq++ {
			m, err := s.GetMsg(ctx, seq)
			if errors.Is(err, njs.ErrMsgNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			err = again(ctx, func() error {
				_, err := js.PublishMsg(ctx, &nats.Msg{Subject: m.Subject, Data: m.Data})
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
