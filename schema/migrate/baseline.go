package migrate

import (
	"context"
	"fmt"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/migrations"
)

// baseline returns the statements that create all tables in their final form. It returns nil if a
// statement of a migration is recorded, if one of the tables exists, or if the baseline's file was
// not made from the run's migrations.
//
// If the process is killed between two of these statements, the next run finds tables and applies
// the migrations one by one. Each statement can be executed again, and changes nothing in a table
// that has its final form.
func (s *State) baseline(ctx context.Context, conn driver.Conn) ([]string, error) {
	if len(s.Applied) > 0 || len(s.steps) > 0 {
		return nil, nil
	}
	list := migrations.Baseline(s.all)
	if list == nil {
		return nil, nil
	}
	var names []string
	for _, text := range list {
		names = append(names, tableOf.FindStringSubmatch(uncommented(text))[1])
	}
	var there uint64
	if err := conn.QueryRow(ctx, countTables, names).Scan(&there); err != nil {
		return nil, fmt.Errorf("read which tables exist: %w", err)
	}
	if there > 0 {
		return nil, nil
	}
	return list, nil
}

// applyBaseline creates the tables of an empty database and records the migrations as if they had
// been applied one by one.
func (l *lock) applyBaseline(ctx context.Context, o Options, list []string) (names []string, err error) {
	for i, text := range list {
		p := Progress{Migration: "baseline", Step: i + 1, Steps: len(list)}
		o.Report(p)
		err := l.check(ctx)
		if err == nil {
			text, err = o.rewrite(text)
		}
		if err == nil {
			err = l.conn.Exec(ctx, text)
		}
		if err != nil {
			return nil, stopped(p, err)
		}
		o.after(p, "ran")
	}
	if err := l.recordAll(ctx, o); err != nil {
		return nil, err
	}
	o.after(Progress{Migration: "baseline"}, "whole")
	batch, err := l.conn.PrepareBatch(ctx, insertAllApplied)
	if err != nil {
		return nil, fmt.Errorf("list the migrations as applied: %w", err)
	}
	for _, m := range o.Migrations {
		if err := batch.Append(m.Version, m.Name, checksum(m.Text)); err != nil {
			return nil, fmt.Errorf("list the migrations as applied: %w", err)
		}
		names = append(names, m.Name)
	}
	if err := batch.Send(); err != nil {
		return nil, fmt.Errorf("list the migrations as applied: %w", err)
	}
	return names, nil
}

// recordAll records every statement of every migration as begun and done, in one insert.
func (l *lock) recordAll(ctx context.Context, o Options) error {
	if err := l.check(ctx); err != nil {
		return err
	}
	batch, err := l.conn.PrepareBatch(ctx, insertAllSteps)
	if err != nil {
		return fmt.Errorf("record the migrations: %w", err)
	}
	add := func(e event) {
		if err == nil {
			err = batch.Append(e.version, e.step, e.name, l.generation, e.checksum, e.oldest, e.text, l.program,
				l.holder)
		}
	}
	for _, m := range o.Migrations {
		for i, text := range m.Statements {
			step := uint32(i + 1)
			add(event{m.Version, step, "begun", "", 0, m.Name})
			add(event{m.Version, step, "done", checksum(text), 0, m.Name})
		}
		add(event{m.Version, 0, "whole", checksum(m.Text), m.Oldest, m.Name})
	}
	if err == nil {
		err = batch.Send()
	}
	if err != nil {
		return fmt.Errorf("record the migrations: %w", err)
	}
	return nil
}
