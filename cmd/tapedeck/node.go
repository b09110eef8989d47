package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/deadletters"
	"tapedeck/ingest/jetstream"
	"tapedeck/ingest/keys"
	"tapedeck/ingest/recorders"
	"tapedeck/ingest/sink"
	"tapedeck/ingest/spool"
	"tapedeck/ingest/undeleted"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/tombstone"
)

// roles are the parts of a server that a process runs.
type roles struct{ ingest, sink, api bool }

// nodeConfig is what a node needs: where the servers are, and what it runs.
type nodeConfig struct {
	roles      roles
	connect    func(...nats.Option) (*nats.Conn, error)
	nats       string        // where NATS is; "" for in this process
	dsn        string        // ClickHouse; used by sink and api
	spoolDir   string        // used by ingest
	syncSpool  bool          // sync writes to disk, so that blocks survive a power cut
	quietAfter time.Duration // used by api
	streams    jetstream.Config
	pprof      bool // profiles are served
	limits     ingest.Limits
	log        *slog.Logger
	// thresholds are the limits beyond which checks fail.
	thresholds thresholds
	readers    readerLimits // used by api
}

// node is the parts of tapedeck that run in this process. They are the same in
// local mode and against real servers.
type node struct {
	cfg       nodeConfig
	nc        *nats.Conn
	store     driver.Conn // ClickHouse
	db        driver.Conn // the same; nil without api
	deleter   *tombstone.Deleter
	deleted   *tombstone.Set
	accepts   ingest.Publisher     // accepts blocks of recordings; nil without ingest
	spool     *spool.Spool         // nil without ingest
	recorder  *ingest.Recorder     // nil without ingest
	keys      *keys.Store          // nil without ingest
	announcer *recorders.Announcer // nil without ingest
	recorders *recorders.Registry  // nil without api
	sink      *sink.Sink           // nil without sink
	dead      *deadletters.Store
	backlog   *jetstream.BacklogReader
	stop      context.CancelFunc // ends the sink
	running   sync.WaitGroup
	streams   atomic.Pointer[error] // why the JetStream streams are not there; nil once they are
}

// startNode connects and begins to work. A server that is away now is waited
// for in the background: /readyz says so meanwhile.
func startNode(ctx context.Context, cfg nodeConfig) (_ *node, err error) {
	n := &node{cfg: cfg}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.stop = stop
	defer func() {
		if err != nil {
			n.close(context.WithoutCancel(ctx))
		}
	}()
	n.running.Go(func() { tidyWhenQuiet(life) })
	n.nc, err = cfg.connect(jetstream.ConnectOptions(cfg.log)...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	if err := n.ensureStreams(life); err != nil {
		return nil, err
	}
	if n.dead, err = deadletters.Open(n.nc); err != nil {
		return nil, err
	}
	if n.backlog, err = jetstream.NewBacklogReader(n.nc, sink.ConsumerName); err != nil {
		return nil, err
	}
	if n.store, err = clickhouse.Open(cfg.dsn); err != nil {
		return nil, err
	}
	if err := n.keepDeleted(); err != nil {
		return nil, err
	}
	if cfg.roles.api {
		n.db = n.store
		if n.recorders, err = recorders.Listen(n.nc); err != nil {
			return nil, err
		}
		n.running.Go(func() { n.greetClickHouse(life) })
	}
	if cfg.roles.ingest {
		if err := n.startIngest(); err != nil {
			return nil, err
		}
		n.running.Go(func() { n.announcer.Run(life) })
	}
	if cfg.roles.sink {
		n.sink, err = sink.New(sink.Options{
			NATS: n.nc, DSN: cfg.dsn, Keep: cfg.streams.Keep, Version: version, Log: cfg.log,
			Deleted: n.deleted, Complete: n.deleter.Sweep,
		})
		if err != nil {
			return nil, err
		}
		n.running.Go(func() { _ = n.sink.Run(life) }) // it ends with life alone, without an error
	}
	return n, nil
}

func (n *node) startIngest() error {
	publisher, err := jetstream.NewPublisher(n.nc)
	if err != nil {
		return err
	}
	n.spool, err = spool.Open(spool.Options{Dir: n.cfg.spoolDir, Next: publisher, Sync: n.cfg.syncSpool, Log: n.cfg.log})
	if err != nil {
		return err
	}
	n.accepts = undeleted.New(n.spool, n.deleted, tombstone.NewStore(n.store), n.cfg.log)
	n.recorder = ingest.NewRecorder(n.accepts, ingest.Settings{}, n.cfg.log)
	n.announcer = recorders.NewAnnouncer(n.nc, n.recorder.ID(), n.cfg.log)
	n.keys, err = keys.New(keys.Options{
		NATS: n.nc, Next: n.accepts, MaxBytes: n.cfg.streams.WithDefaults().MaxBytes / 16, Replicas: n.cfg.streams.Replicas, Log: n.cfg.log,
	})
	return err
}

// keepDeleted sets up the tombstones and the deletion of sessions.
func (n *node) keepDeleted() error {
	js, err := njs.New(n.nc)
	if err != nil {
		return fmt.Errorf("JetStream: %w", err)
	}
	store := tombstone.NewStore(n.store)
	n.deleted = tombstone.NewSet(store)
	n.deleter = tombstone.NewDeleter(store, n.deleted, func(ctx context.Context, t *tombstone.Tombstone) error {
		return jetstream.Purge(ctx, js, t)
	})
	return nil
}

// close ends the parts in the order in which data flows: what was accepted is
// on disk or in ClickHouse when it returns.
func (n *node) close(ctx context.Context) error {
	var errs []error
	if n.spool != nil {
		errs = append(errs, n.spool.Close(ctx))
	}
	n.stop()
	n.running.Wait()
	if n.recorders != nil {
		n.recorders.Close()
	}
	if n.nc != nil {
		n.nc.Close()
	}
	if n.store != nil {
		errs = append(errs, n.store.Close())
	}
	return errors.Join(errs...)
}
