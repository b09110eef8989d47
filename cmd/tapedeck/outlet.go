package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/jetstream"
	"tapedeck/ingest/recorders"
	"tapedeck/ingest/spool"
	"tapedeck/ingest/upload"
	"tapedeck/internal/console"
)

// outlet is where a recording command's blocks go: the tapedeck server or a NATS
// server, with a spool before it for the time that it is away.
type outlet struct {
	publisher ingest.Publisher
	link      *upload.Client // nil with NATS
	spool     *spool.Spool   // nil without
	shut      func(context.Context) error
	log       *slog.Logger
	server    string // for messages
	id        string // of the recorder
}

// openOutlet connects. A server that does not answer now is an error: nobody
// wants to find out at the end that a name was mistyped. One that goes away
// later is bridged by the spool.
func (c *recordCommand) openOutlet(ctx context.Context, g *global) (*outlet, error) {
	return openOutlet(ctx, g, outletOptions{nats: c.NATS, noSpool: c.NoSpool, sync: c.sync()}, stderrLog())
}

// outletOptions are the settings of recording commands that concern it.
type outletOptions struct {
	nats    string // publish to this NATS server; "": through the tapedeck server
	noSpool bool
	sync    bool // the spool survives a power cut
}

func openOutlet(ctx context.Context, g *global, opts outletOptions, log *slog.Logger) (_ *outlet, err error) {
	o := &outlet{log: log, id: ingest.NewRecorderID()}
	if err = o.connect(ctx, g, opts); err != nil || opts.noSpool {
		return o, err
	}
	if err = o.addSpool(opts.sync); err != nil {
		return nil, errors.Join(err, o.shut(ctx))
	}
	return o, nil
}

// connect makes the publisher.
func (o *outlet) connect(ctx context.Context, g *global, opts outletOptions) error {
	if opts.nats != "" {
		o.server = opts.nats
		return o.toNATS(ctx, opts.nats)
	}
	o.server = g.Server
	return o.toServer(ctx, g, opts.noSpool)
}

func (o *outlet) toNATS(ctx context.Context, url string) error {
	if err := checkNATS(url); err != nil {
		return err
	}
	options := append(natsOptions(o.log), nats.RetryOnFailedConnect(false))
	nc, err := nats.Connect(url, options...)
	if err != nil {
		return fmt.Errorf("no NATS server answers at %s (%w)\nName another one with --nats or TAPEDECK_NATS", redactedNATS(url), rootOf(err))
	}
	js, err := njs.New(nc)
	if err == nil {
		_, err = js.Stream(ctx, jetstream.StreamName)
	}
	if err != nil {
		nc.Close()
		return fmt.Errorf("JetStream stream %s at %s: %w\nIt is made by the first \"tapedeck serve\" or \"tapedeck up\"", jetstream.StreamName, redactedNATS(url), err)
	}
	if o.publisher, err = jetstream.NewPublisher(nc); err != nil {
		nc.Close()
		return err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	go recorders.NewAnnouncer(nc, o.id, o.log).Run(life)
	o.shut = func(context.Context) error { end(); nc.Close(); return nil }
	return nil
}

// recorder returns a recorder that publishes to the outlet.
func (o *outlet) recorder() *ingest.Recorder {
	return ingest.NewRecorder(o.publisher, ingest.Settings{ID: o.id}, o.log)
}

// checkTenant finds that a server records for another tenant than was asked for.
func (o *outlet) checkTenant(tenant string) error {
	if o.link == nil {
		return nil
	}
	if own := o.link.Tenant(); own != "" && own != tenant {
		return badUsage("--tenant %s: %s records for the tenant %s; leave --tenant out", tenant, o.server, own)
	}
	return nil
}

func (o *outlet) toServer(ctx context.Context, g *global, noSpool bool) error {
	opts := upload.Options{Server: g.Server, Token: g.Token, Recorder: o.id, Log: o.log}
	if noSpool {
		opts.Grace = -1 // nothing else keeps the blocks: wait for the server
	}
	api, err := g.client()
	if err != nil {
		return err
	}
	c, err := upload.Dial(ctx, opts)
	if _, refused := errors.AsType[*upload.RefusedError](err); err != nil && !refused && ctx.Err() == nil {
		return api.unreachable(err)
	}
	if err != nil {
		return err
	}
	o.publisher, o.link, o.shut = c, c, c.Close
	return nil
}

// spoolHome is where recording commands keep what could not be sent.
func spoolHome() (string, error) {
	if home := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, "tapedeck", "spool"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no place for the spool (%w); set XDG_STATE_HOME, or record with --no-spool", err)
	}
	return filepath.Join(home, ".local", "state", "tapedeck", "spool"), nil
}

// spoolSlots is how many recording commands may run side by side.
const spoolSlots = 1000

// addSpool puts a spool before the publisher, in the first directory that no
// other process uses. What an earlier process left there is sent, too.
func (o *outlet) addSpool(sync bool) error {
	home, err := spoolHome()
	if err != nil {
		return err
	}
	for i := range spoolSlots {
		s, err := spool.Open(spool.Options{Dir: filepath.Join(home, fmt.Sprint(i)), Next: o.publisher, Sync: sync, Log: o.log})
		if errors.Is(err, spool.ErrInUse) {
			continue
		}
		if err != nil {
			return err
		}
		o.spool, o.publisher = s, s
		return nil
	}
	return fmt.Errorf("%d recordings run already: every spool in %s is in use", spoolSlots, home)
}

// drainTimeout is how long a command waits at its end for what is in the spool
// while nothing of it is taken.
const drainTimeout = 10 * time.Second

// drained waits until the spool is empty. If the server stays away, what is in
// it stays on disk, and that is said.
func (o *outlet) drained(ctx context.Context) error {
	if o.spool == nil || o.spool.State().Parcels == 0 {
		return nil
	}
	p := console.ShowProgress(func() string {
		return fmt.Sprintf("%s to go to %s", console.Count(o.spool.State().Parcels, "block"), o.server)
	})
	defer p.End()
	least := o.spool.State().Parcels
	for end := time.Now().Add(drainTimeout); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		left := o.spool.State().Parcels
		if left == 0 {
			return nil
		}
		if left < least {
			least, end = left, time.Now().Add(drainTimeout)
		}
	}
	return o.leftovers()
}

// leftovers says what stays in the spool.
func (o *outlet) leftovers() error {
	if o.spool == nil {
		return nil
	}
	st := o.spool.State()
	if st.Parcels == 0 {
		return nil
	}
	why := cmp.Or(st.LastError, o.server+" takes nothing")
	if o.link != nil {
		if l := o.link.State(); !l.Connected {
			why = fmt.Sprintf("%s is away since %s", o.server, l.DownSince.Format(time.TimeOnly))
		}
	}
	return fmt.Errorf("%s\nWhat was recorded is safe on disk (%s in %s). \"tapedeck flush\" sends it, and so does the next \"tapedeck record\"",
		why, console.Count(st.Parcels, "block"), st.Dir)
}

func (o *outlet) close() {
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	if o.spool != nil {
		if err := o.spool.Close(ctx); err != nil {
			o.log.Warn("close the spool", "error", err)
		}
	}
	if err := o.shut(ctx); err != nil {
		o.log.Warn("close the connection", "error", err)
	}
}
