package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/outlet"
	"tapedeck/internal/app/command/doctor"
	"tapedeck/internal/app/health"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// openOutlet connects a recording command to the server or NATS. It sets opts.Server
// and opts.Token from the global flags.
func openOutlet(ctx context.Context, g *global, f *settings.NATSClient, opts outlet.Options) (*outlet.Outlet, error) {
	opts, err := outletOptions(g, f, opts)
	if err != nil {
		return nil, err
	}
	o, err := outlet.Open(ctx, opts)
	if err == nil && !opts.NoSpool {
		checkSpoolDisk(opts.Log)
	}
	return o, err
}

// checkSpoolDisk logs a warning if the disk with the spool is nearly full.
func checkSpoolDisk(log *slog.Logger) {
	home, err := outlet.SpoolHome()
	if err != nil {
		return // Open has reported the error
	}
	if disk := health.Disk(home, health.LowDisk); !disk.OK {
		log.Warn("spool: its disk is nearly full", "error", disk.Detail, "do", doctor.RoomForSpool)
	}
}

func outletOptions(g *global, f *settings.NATSClient, opts outlet.Options) (outlet.Options, error) {
	if opts.Log == nil {
		opts.Log = stderrLog()
	}
	var err error
	if opts.NATS != "" {
		if err := f.CheckNATS(opts.NATS); err != nil {
			return opts, err
		}
		opts.NATSOptions, err = f.ConnectOptions(opts.Log)
		return opts, err
	}
	if _, err = g.client(); err != nil { // also checks --server and reads the token
		return opts, err
	}
	opts.Server, opts.Token, opts.Tenant = cmp.Or(g.RecordServer, g.Server), g.Token, g.AsTenant
	opts.TLS, err = g.config()
	return opts, err
}

// checkTenant returns an error for a tenant that the server does not record for, and replaces the
// default tenant by the tenant of the token.
func checkTenant(o *outlet.Outlet, tenant *string) error {
	own := o.Tenant()
	if own != "" && own != *tenant && *tenant != ingest.DefaultTenant {
		return commandline.Errorf("--tenant %s: %s records for the tenant %s; leave --tenant out", *tenant,
			o.Server(), own)
	}
	if own != "" {
		*tenant = own
	}
	return nil
}

// drain waits until the spool is empty, and shows the number of remaining blocks.
func drain(ctx context.Context, o *outlet.Outlet) error {
	if o.Spooled() == 0 {
		return nil
	}
	began, total := time.Now(), int64(o.Spooled())
	p := console.ShowProgress(func() string {
		left := int64(o.Spooled())
		return fmt.Sprintf("%s to send to %s  %s", console.Count(left, "block"), o.Server(), console.Part(total-left, total, began))
	})
	defer p.End()
	return o.Drain(ctx)
}
