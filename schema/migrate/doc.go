// Package migrate brings the tables of a ClickHouse database up to date.
//
// The statements of package migrations are applied one at a time, and each is recorded in
// schema_steps when it is done: a run that ends halfway is continued at the statement that
// was not recorded. An empty database gets the tables of the baseline, which all migrations
// together make, and the same records. Several processes may start at once: one of them holds
// the lock and the others wait for it. docs/adr/0022-upgrades.md describes the lock, and which
// programs may use which schema.
package migrate

import (
	"log/slog"
	"time"

	"tapedeck/schema/migrations"
)

// Options configures a run. The zero value applies all migrations of the program.
type Options struct {
	Program string // the program's version, for the record and for messages
	Log     *slog.Logger
	// Report is called before each statement, and while the run waits for another process.
	Report func(Progress)
	// Lease is how long the holder of the lock may record nothing before another process takes
	// the lock; 0 is 10 s.
	Lease time.Duration
	// Migrations replaces the program's own; for tests.
	Migrations []migrations.Migration

	stepwise bool                   // for tests: apply each migration to an empty database as well
	after    func(Progress, string) // for tests: called after a statement "ran" and was "recorded"
}

// defaultLease is the default of Options.Lease.
const defaultLease = 10 * time.Second

func (o Options) complete() (Options, error) {
	if o.Lease == 0 {
		o.Lease = defaultLease
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Report == nil {
		o.Report = func(Progress) {}
	}
	if o.after == nil {
		o.after = func(Progress, string) {}
	}
	if o.Migrations != nil {
		return o, nil
	}
	var err error
	o.Migrations, err = migrations.All()
	return o, err
}
