package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/app/lifecycle/lease"
	"tapedeck/internal/rootcause"
	"tapedeck/schema/clickhouse"
)

// remindEvery is the interval between log lines about a server that does not answer.
const remindEvery = time.Minute

// ensureStreams creates the JetStream streams, or starts to wait for NATS if it is unavailable.
func (n *Node) ensureStreams(life context.Context) error {
	js, err := njs.New(n.NATS)
	if err != nil {
		return fmt.Errorf("JetStream: %w", err)
	}
	try := func() error {
		ctx, cancel := context.WithTimeout(life, 5*time.Second)
		defer cancel()
		_, err := jetstream.EnsureStreams(ctx, js, n.Streams)
		if errors.Is(err, jetstream.ErrPartitions) {
			err = n.repartition(life, js, err)
		}
		if err != nil && !n.NATS.IsConnected() {
			err = n.natsAway(life)
		}
		if err != nil {
			err = n.noJetStream(err)
			n.missing.Store(&err)
			return err
		}
		n.missing.Store(nil)
		return nil
	}
	n.running.Go(func() { n.enlargeDeadLetters(life, js) })
	if err := try(); err == nil {
		return nil
	}
	n.running.Go(func() { n.await(life, "JetStream", try) })
	return nil
}

// repartitionTimeout bounds one attempt to change the number of partitions.
const repartitionTimeout = 15 * time.Second

// repartition changes the number of partitions, unless another process does so at this moment, and
// then ensures the streams again. differ is the error that made it necessary.
func (n *Node) repartition(life context.Context, js njs.JetStream, differ error) error {
	ctx, cancel := context.WithTimeout(life, repartitionTimeout)
	defer cancel()
	mine, err := lease.Hold(ctx, n.NATS, "partitions", n.Version, func(ctx context.Context) error {
		return jetstream.Repartition(ctx, js, n.Streams)
	})
	if err == nil && !mine {
		err = fmt.Errorf("%w: another server changes it", differ)
	}
	if err != nil {
		return err
	}
	if _, err = jetstream.EnsureStreams(ctx, js, n.Streams); err == nil {
		n.Log.Info("node: the blocks have another number of partitions now", "partitions", n.Streams.WithDefaults().Partitions)
	}
	return err
}

// enlargeEvery is the interval between attempts to enlarge a dead-letter stream that is smaller
// than configured.
const enlargeEvery = time.Minute

// enlargeDeadLetters enlarges the dead-letter stream to its full size once the NATS server has room
// for it. It returns after that, or when life ends.
func (n *Node) enlargeDeadLetters(life context.Context, js njs.JetStream) {
	tick := time.NewTicker(enlargeEvery)
	defer tick.Stop()
	for {
		select {
		case <-life.Done():
			return
		case <-tick.C:
		}
		if n.missing.Load() != nil {
			continue // the streams do not exist yet
		}
		ctx, cancel := context.WithTimeout(life, 5*time.Second)
		_, whole, err := jetstream.EnsureDead(ctx, js, n.Streams)
		cancel()
		if err == nil && whole {
			return
		}
	}
}

// natsAway describes which NATS server does not answer, and why. The client does not report why a
// first connection failed, so natsAway dials the server.
func (n *Node) natsAway(life context.Context) error {
	why := "the connection was refused by the server"
	if err := n.NATS.LastError(); err != nil {
		why = err.Error()
	}
	for server := range strings.SplitSeq(n.Servers, ",") {
		var d net.Dialer
		ctx, cancel := context.WithTimeout(life, readyTimeout)
		conn, err := d.DialContext(ctx, "tcp", jetstream.ServerHost(server))
		cancel()
		if err != nil {
			why = rootcause.Of(err).Error()
			continue
		}
		conn.Close()
	}
	return fmt.Errorf("no NATS server answers at %s: %s", cmp.Or(jetstream.RedactServers(n.Servers), "this process"),
		why)
}

// greetClickHouse logs that ClickHouse does not answer, and when it answers again.
func (n *Node) greetClickHouse(life context.Context) {
	n.await(life, "ClickHouse", func() error {
		ctx, cancel := context.WithTimeout(life, readyTimeout)
		defer cancel()
		if err := n.DB.Ping(ctx); err != nil {
			return fmt.Errorf("%s: %w", clickhouse.ServerName(n.DSN), rootcause.Of(err))
		}
		return nil
	})
}

// isNoJetStream reports whether an error means that a server, or the user's account, has no
// JetStream.
func isNoJetStream(err error) bool {
	return errors.Is(err, njs.ErrJetStreamNotEnabled) ||
		errors.Is(err, njs.ErrJetStreamNotEnabledForAccount) || errors.Is(err, nats.ErrNoResponders)
}

// await calls try until it succeeds or life ends. It logs the first failure, later ones at
// intervals, and the success after them.
func (n *Node) await(life context.Context, what string, try func() error) {
	var said time.Time
	for {
		err := try()
		if life.Err() != nil {
			return
		}
		if err == nil {
			if !said.IsZero() {
				n.Log.Info("node: a server answers now", "server", what)
			}
			return
		}
		if time.Since(said) > remindEvery {
			said = time.Now()
			n.Log.Warn("node: a server does not answer yet, waiting for it", "server", what, "error", err)
		}
		select {
		case <-life.Done():
			return
		case <-time.After(time.Second):
		}
	}
}
