package redecode

import (
	"context"
	"slices"
	"time"
)

// ClickHouse takes its snapshots of the tables of a statement one after the other when the
// statement begins. A statement that began before the new generation was stored may so have
// a snapshot of redecodes that names it, and none with its rows; one that began before the
// switch, the opposite. readersLimit bounds the time in which a statement is expected to
// have all of its snapshots, and readersPoll is how often the running ones are listed.
const (
	readersLimit = time.Second
	readersPoll  = 10 * time.Millisecond
)

// awaitReaders waits until the statements that are reading now have all of their snapshots:
// until they have ended, or readersLimit has passed.
func (r *run) awaitReaders(ctx context.Context) error {
	limit := time.NewTimer(readersLimit)
	defer limit.Stop()
	var awaited []string
	for first := true; ; first = false {
		running, err := r.runningStatements(ctx)
		if first {
			awaited = running
		}
		if err != nil {
			r.log.Debug("redecode: running statements are not known, waiting for as long as they may take", "error", err)
		} else if awaited = slices.DeleteFunc(awaited, func(id string) bool { return !slices.Contains(running, id) }); len(awaited) == 0 {
			return nil
		}
		poll := time.After(readersPoll)
		if err != nil {
			poll = nil
		}
		select {
		case <-poll:
		case <-limit.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (r *run) runningStatements(ctx context.Context) (list []string, err error) {
	err = r.each(ctx, "running statements", "running", nil, func(row func(...any) error) error {
		var id string
		err := row(&id)
		list = append(list, id)
		return err
	})
	return list, err
}
