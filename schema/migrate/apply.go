package migrate

import (
	"context"
	"fmt"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/cluster"
	"tapedeck/schema/migrations"
)

// waitPause is the interval at which a waiting process reads the progress of another one.
const waitPause = 200 * time.Millisecond

// Apply applies the program's missing migrations and returns the names of those that it completed.
// If another process is migrating, it waits for that process. Then it applies o.Cold. It returns
// ErrOld, ErrChanged, ErrEngine, ErrCluster or ErrCold without changing the database.
func Apply(ctx context.Context, conn driver.Conn, o Options) ([]string, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if err := checkCold(ctx, conn, o); err != nil {
		return nil, err
	}
	if c, ok := conn.(*cluster.Conn); ok {
		return applyCluster(ctx, c, o)
	}
	applied, err := applyMissing(ctx, conn, o)
	if err != nil {
		return nil, err
	}
	return applied, o.Cold.apply(ctx, conn, o)
}

// applyMissing applies the missing migrations to one server and returns their names.
func applyMissing(ctx context.Context, conn driver.Conn, o Options) ([]string, error) {
	done, err := upToDate(ctx, conn, o)
	if err != nil {
		return nil, err
	}
	if done {
		return nil, ensureViews(ctx, conn, o.Migrations)
	}
	if err := checkPlain(ctx, conn); err != nil {
		return nil, err
	}
	l, err := acquire(ctx, conn, o, func() (bool, error) { return upToDate(ctx, conn, o) })
	if l == nil || err != nil {
		return nil, err
	}
	defer l.release(ctx)
	return l.apply(ctx, o)
}

// upToDate reports whether there is nothing to do.
func upToDate(ctx context.Context, conn driver.Conn, o Options) (bool, error) {
	s, err := Read(ctx, conn, o)
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return false, err
	}
	return len(s.Pending()) == 0 && len(s.unlisted()) == 0, nil
}

// acquire waits for the lock. It returns nil if done reports that another process has done everything meanwhile.
func acquire(ctx context.Context, conn driver.Conn, o Options, done func() (bool, error)) (*lock, error) {
	for _, statement := range []string{createSteps, createLock} {
		if err := conn.Exec(ctx, statement); err != nil {
			return nil, fmt.Errorf("make the tables that record migrations: %w", err)
		}
	}
	var last lockState
	var since time.Time // when the recorded state of the holder changed, by this process's clock
	for {
		now, err := readState(ctx, conn)
		if err != nil {
			return nil, err
		}
		if now != last || since.IsZero() {
			last, since = now, time.Now()
		}
		if now.free() || time.Since(since) > o.Lease {
			l, err := take(ctx, conn, o, now.generation)
			if l != nil || err != nil {
				return l, err
			}
			continue
		}
		if done, err := done(); done || err != nil {
			return nil, err
		}
		o.Report(o.progress(now))
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for %s, which migrates: %w", now.holder, ctx.Err())
		case <-time.After(waitPause):
		}
	}
}

// progress returns the progress of another process.
func (o Options) progress(s lockState) Progress {
	p := Progress{Migration: s.text, Step: int(s.step), Holder: s.holder}
	for _, m := range o.Migrations {
		if m.Version == s.version {
			p.Steps = len(m.Statements)
		}
	}
	return p
}

// apply applies the missing migrations and returns their names.
func (l *lock) apply(ctx context.Context, o Options) (names []string, err error) {
	s, err := Read(ctx, l.conn, o) // again: the previous holder may have applied some
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return nil, err
	}
	if s.unrecorded {
		// Statements that were recorded for an earlier table do not count.
		if err := l.record(ctx, event{name: "forgotten"}); err != nil {
			return nil, err
		}
		if err := l.conn.Exec(ctx, createApplied); err != nil {
			return nil, fmt.Errorf("make the table schema_migrations: %w", err)
		}
	}
	for _, a := range s.unlisted() {
		if err := l.conn.Exec(ctx, insertApplied, a.Version, a.Name, a.Checksum); err != nil {
			return nil, fmt.Errorf("list migration %s as applied: %w", a.Name, err)
		}
	}
	if s.empty() {
		o.Log.Info("migrate: making the tables", "migrations", len(s.Pending()))
	}
	list, err := s.baseline(ctx, l.conn)
	if err != nil {
		return nil, err
	}
	if list != nil && !o.stepwise {
		return l.applyBaseline(ctx, o, list)
	}
	// A restored database has tables only, and later statements read the views of earlier ones.
	if err := ensureViews(ctx, l.conn, s.executed()); err != nil {
		return nil, err
	}
	for _, m := range s.Pending() {
		if err := l.applyOne(ctx, o, s, m); err != nil {
			return names, err
		}
		names = append(names, m.Name)
	}
	return names, nil
}

// applyOne executes and records the remaining statements of a migration.
func (l *lock) applyOne(ctx context.Context, o Options, s *State, m migrations.Migration) error {
	for i, text := range m.Statements {
		step := uint32(i + 1)
		if _, ok := s.steps[[2]uint32{m.Version, step}]; ok {
			continue
		}
		p := Progress{Migration: m.Name, Step: i + 1, Steps: len(m.Statements)}
		o.Report(p)
		if !s.empty() {
			o.Log.Info("migrate: applying a statement", "migration", m.Name, "statement", p.Step, "of", p.Steps)
		}
		err := l.record(ctx, event{m.Version, step, "begun", "", 0, m.Name})
		if err == nil {
			err = l.run(ctx, o, m, step, text)
		}
		if err != nil {
			return stopped(p, err)
		}
		o.after(p, "ran")
		if err := l.record(ctx, event{m.Version, step, "done", checksum(text), 0, m.Name}); err != nil {
			return stopped(p, err)
		}
		o.after(p, "recorded")
	}
	sum := checksum(m.Text)
	if err := l.record(ctx, event{m.Version, 0, "whole", sum, m.Oldest, m.Name}); err != nil {
		return err
	}
	o.after(Progress{Migration: m.Name}, "whole")
	if err := l.conn.Exec(ctx, insertApplied, m.Version, m.Name, sum); err != nil {
		return fmt.Errorf("list migration %s as applied: %w", m.Name, err)
	}
	return nil
}

// run executes a statement. Its query id is the same in all processes: ClickHouse refuses it while
// the statement of a killed process is still running.
func (l *lock) run(ctx context.Context, o Options, m migrations.Migration, step uint32, text string) error {
	text, err := o.rewrite(text)
	if err != nil || text == "" {
		return err
	}
	id := fmt.Sprintf("tapedeck-migrate-%s-%d-%d", l.database, m.Version, step)
	for {
		if err := l.check(ctx); err != nil {
			return err
		}
		err := l.conn.Exec(driver.Context(ctx, driver.WithQueryID(id)), text)
		if !hasCode(err, codeSameQuery) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(waitPause):
		}
	}
}
