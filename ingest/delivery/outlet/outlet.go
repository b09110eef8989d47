// Package outlet publishes the blocks of a recording command to a tapedeck server or a NATS server.
// A spool on disk holds the blocks while the server is unavailable.
package outlet

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/delivery/spool"
	"tapedeck/ingest/delivery/upload"
	"tapedeck/ingest/recorders"
	"tapedeck/ingest/redact"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/backoff"
	"tapedeck/internal/clockskew"
	"tapedeck/internal/console"
	"tapedeck/internal/rootcause"
)

// Options are the settings of an outlet.
type Options struct {
	Server, Token string         // the tapedeck server
	Tenant        string         // of the blocks, for a token of all tenants; "" for the token's own tenant
	NATS          string         // the NATS server to publish to; "" publishes to the tapedeck server
	NATSOptions   []nats.Option  // of the connection to the NATS server; may be nil
	TLS           *tls.Config    // for a tapedeck server with https; may be nil
	NoSpool       bool           // wait for a server that is unavailable instead of writing to disk
	Sync          bool           // sync the spool to disk, so that it survives a power cut
	SpoolLimit    int64          // maximum size of the spool, bytes; 0 for the spool's default
	Redact        *redact.Engine // the rules for secrets; nil for the default ones
	WaitFor       time.Duration  // how long Open waits for a server that does not answer; 0 for not at all
	Offline       bool           // Open succeeds also if the tapedeck server does not answer; goes without NoSpool and NATS
	StartTimeout  time.Duration  // bounds the wait for a server that is starting; default 2 min
	Log           *slog.Logger
}

// Outlet publishes blocks.
type Outlet struct {
	publisher ingest.Publisher
	client    *upload.Client // nil with NATS
	spool     *spool.Spool   // nil with NoSpool
	shut      func(context.Context) error
	log       *slog.Logger
	server    string // for messages
	id        string // of the recorder
	tenant    string // Options.Tenant
	redact    *redact.Engine
}

// Open connects. It fails if the server does not answer now, so that a mistyped address is found at
// the start; WaitFor and Offline make it wait or succeed without an answer. If the server becomes
// unavailable later, blocks go to the spool.
func Open(ctx context.Context, opts Options) (*Outlet, error) {
	o, err := connect(ctx, opts)
	if err != nil || opts.NoSpool {
		return o, err
	}
	if err = o.addSpool(opts); err != nil {
		return nil, errors.Join(err, o.shut(ctx))
	}
	return o, nil
}

// OpenSpool connects, and sends the blocks that an earlier process left in the spool of a
// directory. The error is spool.ErrInUse if another process has the spool open, and a
// spool.TargetError if its blocks are for another target and anyTarget is not set.
func OpenSpool(ctx context.Context, opts Options, dir string, anyTarget bool) (*Outlet, error) {
	asked := targetOf(&opts, "")
	if holds := spool.TargetOf(dir); !anyTarget && holds != nil && holds.Server != asked.Server {
		return nil, &spool.TargetError{Dir: dir, Holds: *holds, Asked: asked}
	}
	o, err := connect(ctx, opts)
	if err != nil {
		return nil, err
	}
	so := spool.Options{Dir: dir, Next: o.publisher, Log: o.log}
	if !anyTarget {
		asked = targetOf(&opts, o.Tenant())
		so.Target = &asked
	}
	if o.spool, err = spool.Open(so); err != nil {
		return nil, errors.Join(err, o.shut(ctx))
	}
	o.publisher = o.spool
	return o, nil
}

// connect makes the publisher.
func connect(ctx context.Context, opts Options) (*Outlet, error) {
	o := &Outlet{log: opts.Log, id: ingest.NewRecorderID(), server: opts.Server, tenant: opts.Tenant, redact: opts.Redact}
	if opts.NATS != "" {
		o.server = jetstream.RedactServers(opts.NATS)
		return o, o.toNATS(ctx, opts)
	}
	return o, o.toServer(ctx, opts)
}

func (o *Outlet) toNATS(ctx context.Context, opts Options) error {
	options := append(jetstream.ConnectOptions(o.log), nats.RetryOnFailedConnect(false))
	nc, err := nats.Connect(opts.NATS, append(options, opts.NATSOptions...)...)
	for wait := o.newWait(opts.WaitFor); err != nil && wait.again(ctx, err); {
		nc, err = nats.Connect(opts.NATS, append(options, opts.NATSOptions...)...)
	}
	if err != nil {
		return fmt.Errorf("no NATS server answers at %s (%w)\nName another one with --nats or TAPEDECK_NATS",
			o.server, rootcause.Of(err))
	}
	var stream njs.Stream
	js, err := njs.New(nc)
	began := time.Now()
	if err == nil {
		stream, err = js.Stream(ctx, jetstream.StreamName)
	}
	if err != nil {
		nc.Close()
		return fmt.Errorf("JetStream stream %s at %s: %w\nThe first \"tapedeck serve\" or \"tapedeck up\" creates it",
			jetstream.StreamName, o.server, err)
	}
	if o.publisher, err = jetstream.NewPublisher(nc); err != nil {
		nc.Close()
		return err
	}
	if at := stream.CachedInfo().TimeStamp; !at.IsZero() {
		o.compareClocks(clockskew.Between(at, began))
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	go recorders.NewAnnouncer(nc, o.id, o.log).Run(life)
	o.shut = func(context.Context) error { end(); nc.Close(); return nil }
	return nil
}

func (o *Outlet) toServer(ctx context.Context, opts Options) error {
	up := upload.Options{Server: opts.Server, Token: opts.Token, Tenant: opts.Tenant, Recorder: o.id, TLS: opts.TLS, Log: o.log}
	if opts.NoSpool {
		up.Grace = -1 // without a spool, Publish waits for the server
	}
	dial := func() (*upload.Client, error) { return dialStarted(ctx, up, cmp.Or(opts.StartTimeout, 2*time.Minute)) }
	c, err := dial()
	for wait := o.newWait(opts.WaitFor); err != nil && !ingest.IsPermanent(err) && wait.again(ctx, err); {
		c, err = dial()
	}
	if err != nil && opts.Offline && !ingest.IsPermanent(err) && ctx.Err() == nil {
		o.log.Warn("outlet: the tapedeck server does not answer; recording into the spool", "server", o.server, "error", rootcause.Of(err))
		up.Offline = true
		c, err = upload.Dial(ctx, up)
	}
	if _, refused := errors.AsType[*upload.RefusedError](err); err != nil && !refused && ctx.Err() == nil {
		return apiclient.Unreachable(opts.Server, err)
	}
	if err != nil {
		return err
	}
	o.compareClocks(c.ServerAhead())
	o.publisher, o.client, o.shut = c, c, c.Close
	return nil
}

// serverWait is a wait for a server that does not answer yet.
type serverWait struct {
	o      *Outlet
	most   time.Duration
	end    time.Time
	waited bool
}

// waitPause is the time between two attempts.
const waitPause = 500 * time.Millisecond

func (o *Outlet) newWait(most time.Duration) *serverWait {
	return &serverWait{o: o, most: most, end: time.Now().Add(most)}
}

// again waits for the next attempt. It returns false if the time is over or ctx has ended.
func (w *serverWait) again(ctx context.Context, err error) bool {
	if !time.Now().Add(waitPause).Before(w.end) {
		return false
	}
	if !w.waited {
		w.o.log.Warn("outlet: waiting for the server, which does not answer", "server", w.o.server, "error", rootcause.Of(err), "at_most", w.most)
		w.waited = true
	}
	return backoff.Sleep(ctx, waitPause)
}

// Away reports whether the tapedeck server does not answer, so that blocks go to the spool.
func (o *Outlet) Away() bool { return o.client != nil && !o.client.State().Connected }

// compareClocks logs a warning if the clock of this machine, from which frames have their times,
// differs from the server's clock.
func (o *Outlet) compareClocks(ahead time.Duration) {
	if differs := clockskew.Describe(ahead); differs != "" {
		o.log.Warn("outlet: the clocks differ", "server", o.server, "error", differs, "do", clockskew.Do)
	}
}

// dialStarted dials a server, and waits if it is starting.
func dialStarted(ctx context.Context, up upload.Options, timeout time.Duration) (*upload.Client, error) {
	end, waited := time.Now().Add(timeout), false
	for {
		c, err := upload.Dial(ctx, up)
		starting, ok := errors.AsType[*upload.StartingError](err)
		if err == nil || ingest.IsPermanent(err) || !ok && !waited {
			return c, err
		}
		pause := time.Second // a starting server opens its socket again when it has started
		if ok {
			pause = starting.RetryAfter
		}
		if time.Now().Add(pause).After(end) {
			return nil, fmt.Errorf("%w\nIt was waited for %v. Try again when %s/readyz answers 200", err, timeout,
				up.Server)
		}
		if !waited {
			up.Log.Warn("outlet: waiting for the tapedeck server, which is starting", "server", up.Server, "reason", starting.Detail, "at_most", timeout)
			waited = true
		}
		if !backoff.Sleep(ctx, pause) {
			return nil, context.Cause(ctx)
		}
	}
}

// Publisher returns the publisher of the outlet.
func (o *Outlet) Publisher() ingest.Publisher { return o.publisher }

// Recorder returns a recorder that publishes to the outlet.
func (o *Outlet) Recorder() *ingest.Recorder {
	return ingest.NewRecorder(o.publisher, ingest.Settings{ID: o.id, Redact: o.redact})
}

// Tenant returns the only tenant that the server records for, "" if there is no such restriction. For
// a server that was not reached yet it is the tenant that the options name.
func (o *Outlet) Tenant() string {
	if o.client == nil {
		return ""
	}
	return cmp.Or(o.client.Tenant(), o.tenant)
}

// Server returns the name of the server for messages, without passwords.
func (o *Outlet) Server() string { return o.server }

// Spooled returns the number of blocks in the spool.
func (o *Outlet) Spooled() int {
	if o.spool == nil {
		return 0
	}
	return o.spool.State().Blocks
}

// Refused returns the number of blocks that were refused and set aside since the spool was opened.
func (o *Outlet) Refused() int {
	if o.spool == nil {
		return 0
	}
	return o.spool.State().Refused
}

// drainTimeout is how long Drain waits while the server acknowledges nothing.
const drainTimeout = 10 * time.Second

// Drain waits until the spool is empty. If the server stays unavailable, the error says
// that the blocks stay on disk.
func (o *Outlet) Drain(ctx context.Context) error {
	least := o.Spooled()
	for end := time.Now().Add(drainTimeout); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		left := o.Spooled()
		if left == 0 {
			return nil
		}
		if left < least {
			least, end = left, time.Now().Add(drainTimeout)
		}
	}
	return o.Leftovers()
}

// Leftovers returns an error that describes the blocks that stay in the spool, nil if
// there are none.
func (o *Outlet) Leftovers() error {
	if o.Spooled() == 0 {
		return nil
	}
	st := o.spool.State()
	why := st.LastError
	if why == "" {
		why = o.server + " does not acknowledge blocks"
	}
	if o.client != nil {
		if l := o.client.State(); !l.Connected {
			why = fmt.Sprintf("%s is away since %s", o.server, l.DownSince.Format(time.TimeOnly))
		}
	}
	if st.Full {
		why += fmt.Sprintf("; the spool is full (%s of --spool-limit %s), and takes no more", console.Bytes(uint64(st.Bytes)), console.Bytes(uint64(st.Limit)))
	}
	return fmt.Errorf("%s\nWhat was recorded is safe on disk (%s in %s). \"tapedeck flush\" sends it, and so does the next \"tapedeck record\" to this server",
		why, console.Count(st.Blocks, "block"), st.Dir)
}

// closeTimeout bounds Close.
const closeTimeout = 5 * time.Second

// Close closes the spool and the connection. Failures are logged.
func (o *Outlet) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if o.spool != nil {
		if err := o.spool.Close(ctx); err != nil {
			o.log.Warn("outlet: the spool was not closed cleanly", "error", err)
		}
	}
	if err := o.shut(ctx); err != nil {
		o.log.Warn("outlet: the connection was not closed cleanly", "error", err)
	}
}
