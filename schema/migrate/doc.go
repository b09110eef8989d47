// Package migrate brings the tables of a ClickHouse database up to date.
//
// The statements of package migrations are applied one at a time, and each is recorded in
// schema_steps when it is done. A run that was interrupted continues at the first statement that is
// not recorded. An empty database receives the tables of the baseline, which equal the result of
// all migrations, and the same records. Several processes may start at once: one of them holds the
// lock and the others wait for it. docs/adr/0022-upgrades.md describes the lock, and which programs
// may use which schema.
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
	// Cold says what ClickHouse does with old recordings.
	Cold Cold
	// Lease is the time without a record of the lock's holder after which another process takes the
	// lock; 0 means 10 s.
	Lease time.Duration
	// Migrations replaces the program's own; for tests.
	Migrations []migrations.Migration

	stepwise bool // apply each migration even to an empty database
	// rewrite returns what is executed for a statement that is recorded; "" for nothing. nil means the
	// statement itself.
	rewrite func(statement string) (string, error)
	after   func(Progress, string) // for tests: called after a statement "ran" and was "recorded"
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
	if o.rewrite == nil {
		o.rewrite = func(statement string) (string, error) { return statement, nil }
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
