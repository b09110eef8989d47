package redecode

import (
	"context"
	"slices"
	"time"

	"tapedeck/schema/cluster"
)

// When a statement begins, ClickHouse takes snapshots of the statement's tables one after another.
// So a statement that began before the new generation was stored may have a snapshot of redecodes
// that names the generation, but no snapshot with its rows; for a statement that began before the
// switch, the reverse is possible. readersLimit bounds the time within which a statement is
// expected to have all its snapshots, and readersPoll is the interval at which the running
// statements are listed.
const (
	readersLimit = time.Second
	readersPoll  = 10 * time.Millisecond
)

// awaitReaders waits until the statements that are running now have all their snapshots: until they
// have ended, or readersLimit has passed.
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
	err = r.each(cluster.WithAllReplicas(ctx), "running statements", "running", nil, func(row func(...any) error) error {
		var id string
		err := row(&id)
		list = append(list, id)
		return err
	})
	return list, err
}
