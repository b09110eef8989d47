// Package node runs the parts of a tapedeck server in one process: spool and recorder,
// sink, and the stores that the API reads.
package node

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
	"tapedeck/ingest/delivery/admission"
	"tapedeck/ingest/delivery/deadletters"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/delivery/keys"
	"tapedeck/ingest/delivery/spool"
	"tapedeck/ingest/recorders"
	"tapedeck/ingest/redact"
	"tapedeck/ingest/sink"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/auth/audit/table"
	"tapedeck/internal/app/health"
	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/pricing/pricetables"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/family"
	"tapedeck/schema/lifecycle/change"
	"tapedeck/schema/lifecycle/tombstone"
)

// Roles selects the parts of a server that a process runs.
type Roles struct{ Ingest, Sink, API bool }

// Config configures a node: the servers' addresses, and the roles.
type Config struct {
	Roles      Roles
	Connect    func(...nats.Option) (*nats.Conn, error)
	Servers    string // addresses of NATS for messages; "" for the NATS of this process
	DSN        string // ClickHouse; used by sink and api
	SpoolDir   string // used by ingest
	SyncSpool  bool   // sync writes to disk, so that blocks survive a power cut
	Streams    jetstream.Config
	Version    string // of the program
	Log        *slog.Logger
	Thresholds health.Thresholds  // at the start; Node.SetThresholds changes them
	Spooling   spool.Options      // limits of the spool
	Batches    sink.Options       // limits of the blocks that are gathered for an insert
	Recording  ingest.Settings    // limits of blocks and detection
	MaxFrame   int                // size of a client's largest frame, bytes; 0 if unknown
	Rates      admission.Rates    // limits of what recorders send per second
	Unstored   admission.Unstored // limits of what is published and not stored
	// AuditRetention is how long the audit log is kept, whole days; 0 for its default. It is used
	// by sink.
	AuditRetention time.Duration
	Redact         *redact.Engine // rules for secrets in this node's recordings; nil for the default rules
}

// Node runs the parts of tapedeck in this process. They are the same in local mode and with
// external servers.
type Node struct {
	Config
	NATS        *nats.Conn
	DB          driver.Conn // ClickHouse; nil without api
	Work        driver.Conn // ClickHouse, for work in the background, which readers do not delay; nil without sink and api
	Changes     *change.Announcer
	Deleter     *tombstone.Deleter
	Deleted     *tombstone.Set
	Accepts     *admission.Publisher // accepts blocks of recordings; nil without ingest
	Spool       *spool.Spool         // nil without ingest
	Recorder    *ingest.Recorder     // nil without ingest
	Keys        *keys.Store          // nil without ingest
	Announcer   *recorders.Announcer // nil without ingest
	Recorders   *recorders.Registry  // nil without api
	DeadLetters *deadletters.Store
	Backlog     *jetstream.BacklogReader
	Waiting     *jetstream.WaitingReader
	Layout      *jetstream.Layout
	Audit       *audit.Log

	store   driver.Conn        // ClickHouse, for all roles
	sink    *sink.Sink         // nil without sink
	stop    context.CancelFunc // ends the sink
	running sync.WaitGroup
	schema  schemaWatch
	limits  atomic.Pointer[health.Thresholds]
	redact  atomic.Pointer[redact.Engine]
	probed  atomic.Pointer[[]health.Check] // versions and clocks; nil before the first result
	missing atomic.Pointer[error]          // why the JetStream streams do not exist; nil if they do
}

// Start connects and starts the parts. It waits in the background for servers that are unavailable;
// /readyz reports them meanwhile.
func Start(ctx context.Context, cfg Config) (_ *Node, err error) {
	n := &Node{Config: cfg, schema: schemaWatch{ready: make(chan struct{})}}
	n.SetThresholds(cfg.Thresholds)
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.stop = stop
	defer func() {
		if err != nil {
			n.Close(context.WithoutCancel(ctx))
		}
	}()
	n.running.Go(func() { tidyWhenQuiet(life) })
	n.NATS, err = cfg.Connect(jetstream.ConnectOptions(cfg.Log)...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	if err := n.refusePayload(); err != nil {
		return nil, err
	}
	if err := n.ensureStreams(life); err != nil {
		return nil, err
	}
	if n.Audit, err = audit.Open(audit.Options{NATS: n.NATS, Replicas: cfg.Streams.Replicas, Log: cfg.Log}); err != nil {
		return nil, err
	}
	if n.DeadLetters, err = deadletters.Open(n.NATS); err != nil {
		return nil, err
	}
	if n.Backlog, err = jetstream.NewBacklogReader(n.NATS, sink.ConsumerName); err != nil {
		return nil, err
	}
	if n.Waiting, err = jetstream.NewWaitingReader(n.NATS, sink.ConsumerName); err != nil {
		return nil, err
	}
	js, err := njs.New(n.NATS)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	n.Layout = jetstream.NewLayout(js)
	if n.store, err = clickhouse.OpenFor(clickhouse.Requests, cfg.DSN); err != nil {
		return nil, err
	}
	if !family.OfConn(n.store).Settles() {
		rollup.WithdrawMetrics()
	}
	if cfg.Roles.Sink || cfg.Roles.API {
		if n.Work, err = clickhouse.OpenFor(clickhouse.Work, cfg.DSN); err != nil {
			return nil, err
		}
	}
	if n.Changes, err = change.NewAnnouncer(n.NATS); err != nil {
		return nil, err
	}
	if err := n.keepDeleted(); err != nil {
		return nil, err
	}
	if cfg.Roles.API {
		n.DB = n.store
		if n.Recorders, err = recorders.Listen(n.NATS); err != nil {
			return nil, err
		}
		n.running.Go(func() { n.greetClickHouse(life) })
	}
	if cfg.Roles.Ingest {
		if err := n.startIngest(life); err != nil {
			return nil, err
		}
		n.running.Go(func() { n.Announcer.Run(life) })
	}
	if cfg.Roles.Sink {
		n.sink, err = sink.New(n.sinkOptions())
		if err != nil {
			return nil, err
		}
		w := table.NewWriter(table.WriterOptions{NATS: n.NATS, Replicas: cfg.Streams.Replicas, DB: n.Work,
			Retention: cfg.AuditRetention, Log: cfg.Log})
		n.afterSchema(life, func() { w.Run(life) })
		n.afterSchema(life, func() { _ = n.sink.Run(life) }) // it ends only with life, without an error
		if family.OfConn(n.Work).Settles() {
			n.afterSchema(life, func() { n.settle(life) })
		}
	}
	if cfg.Roles.API || cfg.Roles.Sink {
		n.running.Go(func() { n.watchSchema(life) })
	}
	n.running.Go(func() { n.watchServers(life) })
	return n, nil
}

// settleEvery is the shortest interval at which usage is settled. settleTime, settleMemory and
// settleThreads bound each statement of a settlement in ClickHouse, so that the other cores stay
// available for queries.
const (
	settleEvery   = time.Second
	settleTime    = 5 * time.Minute
	settleMemory  = 2 << 30
	settleThreads = 1
)

// settle settles usage for reports until the context ends.
func (n *Node) settle(ctx context.Context) {
	reader := query.NewReader(n.Work, query.WithPrices(pricetables.NewStore(n.Work, n.Log)),
		query.WithLimits(query.Limits{Time: settleTime, Memory: settleMemory, Threads: settleThreads}))
	rollup.NewSettler(reader, n.Log).Run(ctx, settleEvery)
}

func (n *Node) startIngest(life context.Context) error {
	publisher, err := jetstream.NewPublisher(n.NATS)
	if err != nil {
		return err
	}
	n.Spool, err = spool.Open(n.spoolOptions(publisher))
	if err != nil {
		return err
	}
	progress, err := jetstream.ReadProgress(n.NATS, sink.ConsumerName)
	if err != nil {
		return err
	}
	if n.Servers != "" {
		n.Unstored.CachedBytes = 0 // JetStream is in another process
	}
	n.Accepts = admission.New(life, admission.Options{
		Next: n.Spool, Rates: n.Rates, Progress: progress, Unstored: n.Unstored,
		Deleted: n.Deleted, Store: tombstone.NewStore(n.store), Log: n.Log,
	})
	recording := n.Recording
	recording.Redact = n.Redaction()
	n.Recorder = ingest.NewRecorder(n.Accepts, recording)
	n.Announcer = recorders.NewAnnouncer(n.NATS, n.Recorder.ID(), n.Log)
	n.Keys, err = keys.New(keys.Options{
		NATS: n.NATS, Next: n.Accepts, MaxBytes: n.Streams.WithDefaults().MaxBytes / 16, Replicas: n.Streams.Replicas, Log: n.Log,
	})
	return err
}

// keepDeleted sets up the tombstones and the deletion of sessions.
func (n *Node) keepDeleted() error {
	js, err := njs.New(n.NATS)
	if err != nil {
		return fmt.Errorf("JetStream: %w", err)
	}
	conn := n.store
	if n.Work != nil {
		conn = n.Work
	}
	store := tombstone.NewStore(conn).WithAnnouncements(n.Changes.Sessions)
	n.Deleted = tombstone.NewSet(store)
	n.Deleter = tombstone.NewDeleter(store, n.Deleted, func(ctx context.Context, t *tombstone.Tombstone) error {
		return jetstream.Purge(ctx, js, t)
	})
	return nil
}

// Close ends the parts in the order of the data flow. When it returns, accepted data is on disk or
// in ClickHouse.
func (n *Node) Close(ctx context.Context) error {
	var errs []error
	if n.Spool != nil {
		errs = append(errs, n.Spool.Close(ctx))
	}
	n.Audit.Close(ctx)
	n.stop()
	n.running.Wait()
	if n.Recorders != nil {
		n.Recorders.Close()
	}
	if n.NATS != nil {
		n.NATS.Close()
	}
	for _, conn := range []driver.Conn{n.store, n.Work} {
		if conn != nil {
			errs = append(errs, conn.Close())
		}
	}
	return errors.Join(errs...)
}

// Store returns the connection to ClickHouse; nil without the roles sink and api.
func (n *Node) Store() driver.Conn {
	if !n.Roles.Sink && !n.Roles.API {
		return nil
	}
	return n.store
}
