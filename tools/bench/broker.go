package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/local/broker"
)

// natsServer is a JetStream server for one part, in this process, as in local mode.
type natsServer struct {
	server *broker.Server
	nc     *nats.Conn
	js     njs.JetStream
	dir    string
	rounds int
}

func startBroker(h *harness, name string, syncAlways bool) (*natsServer, error) {
	dir, err := h.tempDir(name)
	if err != nil {
		return nil, err
	}
	b := &natsServer{dir: dir}
	if b.server, err = broker.Start(broker.Options{Dir: dir, SyncAlways: syncAlways, Logger: h.Log}); err != nil {
		return nil, err
	}
	if b.nc, err = b.server.Connect(); err == nil {
		b.js, err = njs.New(b.nc)
	}
	if err != nil {
		return nil, b.close(context.Background(), err)
	}
	return b, nil
}

// Limits of unconfirmed messages when JetStream is measured alone. They equal the limits of the
// Publisher.
const (
	pendingBytes    = 32 << 20
	pendingMessages = 4096
	ackLimit        = 30 * time.Second
)

// close ends the server and removes its files. It joins its errors with err.
func (b *natsServer) close(ctx context.Context, err error) error {
	if b.nc != nil {
		b.nc.Close()
	}
	return errors.Join(err, b.server.Stop(context.WithoutCancel(ctx)), os.RemoveAll(b.dir))
}

// fresh recreates the streams, empty.
func fresh(ctx context.Context, js njs.JetStream, d jetstream.Durability) error {
	for _, name := range []string{jetstream.StreamName, jetstream.DeadName} {
		if err := js.DeleteStream(ctx, name); err != nil && !errors.Is(err, njs.ErrStreamNotFound) {
			return fmt.Errorf("delete stream %s: %w", name, err)
		}
	}
	_, err := jetstream.EnsureStreams(ctx, js, jetstream.Config{Durability: d})
	return err
}

// publish publishes blocks through the Publisher, repeatedly until the time is up, and waits until
// all are confirmed.
func (b *natsServer) publish(ctx context.Context, blocks []ingest.EncodedBlock, d jetstream.Durability, until time.Duration) (Pass, error) {
	if err := fresh(ctx, b.js, d); err != nil {
		return Pass{}, err
	}
	publisher, err := jetstream.NewPublisher(b.nc)
	if err != nil {
		return Pass{}, err
	}
	return publishBlocks(ctx, publisher, blocks, &b.rounds, until)
}

// publishBlocks publishes all blocks at least once, and repeats them for the duration until. rounds
// makes the ids of each repetition unique.
func publishBlocks(ctx context.Context, p ingest.Publisher, blocks []ingest.EncodedBlock, rounds *int, until time.Duration) (Pass, error) {
	var (
		run    Pass
		acks   sync.WaitGroup
		mu     sync.Mutex // guards failed
		failed error
	)
	done := func(err error) {
		if err != nil {
			mu.Lock()
			failed = err
			mu.Unlock()
		}
		acks.Done()
	}
	began, cpu := time.Now(), ownCPU()
	for i := 0; until == 0 && i < len(blocks) || until > 0 && time.Since(began) < until; i++ {
		if i%len(blocks) == 0 {
			*rounds++
		}
		b := blocks[i%len(blocks)]
		b.ID += "." + strconv.Itoa(*rounds)
		acks.Add(1)
		if err := p.Publish(ctx, b, done); err != nil {
			acks.Done()
			acks.Wait()
			return run, err
		}
		run.Messages++
		run.Frames += uint64(b.Frames)
		run.Bytes += uint64(len(b.Data))
	}
	acks.Wait()
	run.Took, run.CPU = time.Since(began), ownCPU()-cpu
	return run, failed
}

// message is a message that is published when JetStream is measured alone.
type message struct {
	subject string
	data    []byte
	frames  int // number of frames, if known
}

// publishRaw publishes messages to the same streams with only the NATS client, repeatedly until the
// time is up.
func (b *natsServer) publishRaw(ctx context.Context, messages []message, until time.Duration) (Pass, error) {
	if err := fresh(ctx, b.js, jetstream.Written); err != nil {
		return Pass{}, err
	}
	size := 0
	for _, m := range messages {
		size += len(m.data)
	}
	pending := min(pendingBytes/(size/len(messages)), pendingMessages)
	js, err := njs.New(b.nc, njs.WithPublishAsyncMaxPending(pending), njs.WithPublishAsyncTimeout(ackLimit))
	if err != nil {
		return Pass{}, err
	}
	var run Pass
	var acks []njs.PubAckFuture
	began, cpu := time.Now(), ownCPU()
	for i := 0; time.Since(began) < until; i++ {
		m := messages[i%len(messages)]
		ack, err := js.PublishAsync(m.subject, m.data, njs.WithStallWait(ackLimit))
		if err != nil {
			return run, fmt.Errorf("publish to JetStream: %w", err)
		}
		acks = append(acks, ack)
		run.Messages++
		run.Frames += uint64(m.frames)
		run.Bytes += uint64(len(m.data))
	}
	select {
	case <-js.PublishAsyncComplete():
	case <-ctx.Done():
		return run, context.Cause(ctx)
	}
	run.Took, run.CPU = time.Since(began), ownCPU()-cpu
	for _, ack := range acks {
		select {
		case err := <-ack.Err():
			return run, fmt.Errorf("publish to JetStream: %w", err)
		default:
		}
	}
	return run, nil
}
