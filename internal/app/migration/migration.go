// Package migration applies missing migrations to ClickHouse before a server starts.
package migration

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"tapedeck/schema/clickhouse"
	"tapedeck/schema/migrate"
)

// migrateRetry is the interval between attempts to reach ClickHouse before migrations, and
// remindMigrate the interval between log lines about these attempts.
const (
	migrateRetry  = 500 * time.Millisecond
	remindMigrate = time.Minute
)

// repeatEvery is the interval at which the server reports again what it waits for.
const repeatEvery = 10 * time.Second

// First applies the missing migrations before a server starts. It waits for a ClickHouse that does
// not answer. show receives what the server waits for, at each change and at intervals. o.Log must
// be set, o.Report not.
func First(ctx context.Context, dsn string, o migrate.Options, show func(string)) error {
	texts := make(chan string)
	var repeating sync.WaitGroup
	defer repeating.Wait()
	defer close(texts)
	repeating.Go(func() { repeat(texts, show) })
	set := func(text string) { texts <- text }
	db, err := clickhouse.Open(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	var holder string
	o.Report = func(p migrate.Progress) {
		if p.Holder != "" && p.Holder != holder {
			holder = p.Holder
			o.Log.Info("migrate: another process migrates, waiting for it", "process", holder)
		}
		p.Holder = "" // the holder is another server
		set(p.String())
	}
	var reminded time.Time
	for {
		set("migrating")
		applied, err := migrate.Apply(ctx, db, o)
		if n := len(applied); n > 0 {
			o.Log.Info("migrate: applied migrations", "migrations", n, "migration", applied[n-1])
		}
		if err == nil || !unreachable(err) {
			return migrateErr(dsn, err)
		}
		set("waiting for ClickHouse, to migrate")
		if time.Since(reminded) > remindMigrate {
			reminded = time.Now()
			o.Log.Warn("migrate: ClickHouse does not answer yet, waiting for it", "error", Problem(dsn, err))
		}
		select {
		case <-ctx.Done():
			return nil // the server ends in the usual way
		case <-time.After(migrateRetry):
		}
	}
}

// repeat passes texts to show until they end, and repeats the last one at intervals.
func repeat(texts <-chan string, show func(string)) {
	tick := time.NewTicker(repeatEvery)
	defer tick.Stop()
	last := "migrating"
	for {
		select {
		case text, more := <-texts:
			if !more {
				return
			}
			last = text
		case <-tick.C:
		}
		show(last)
	}
}

// unreachable reports whether ClickHouse did not answer, or closed the connection.
func unreachable(err error) bool {
	_, ok := errors.AsType[*net.OpError](err)
	return ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

func migrateErr(dsn string, err error) error {
	if err == nil {
		return nil
	}
	return Problem(dsn, err)
}

// checkSchemaTimeout bounds the check of the schema at the start. If ClickHouse does not answer,
// the schema is checked later.
const checkSchemaTimeout = 2 * time.Second

// Check returns an error if this program must not use the database. /readyz reports missing
// migrations.
func Check(ctx context.Context, dsn, program string) error {
	db, err := clickhouse.Open(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(ctx, checkSchemaTimeout)
	defer cancel()
	s, err := migrate.Read(ctx, db, migrate.Options{Program: program})
	if err != nil {
		return nil // the node waits for ClickHouse, and reports why
	}
	return migrateErr(dsn, s.Check())
}
