package sink

import (
	"context"

	"tapedeck/internal/backoff"
	"tapedeck/schema/clickhouse"
)

// awaitTables waits until ClickHouse has the tables and accepts inserts into them, or until ctx
// ends. Meanwhile no block is fetched, and the status names what is missing.
func (s *Sink) awaitTables(ctx context.Context) {
	wait := newBackoff()
	for {
		err := checkTables(ctx, s.opts.DSN)
		if err == nil || ctx.Err() != nil {
			break
		}
		s.out.failed(err)
		if !backoff.Sleep(ctx, wait.Next()) {
			return
		}
	}
	s.stat.reached(s.log)
}

// checkTables returns an error if blocks cannot be inserted into ClickHouse.
func checkTables(ctx context.Context, dsn string) error {
	ctx, cancel := context.WithTimeout(ctx, insertTimeout)
	defer cancel()
	client, err := clickhouse.Dial(ctx, dsn)
	if err != nil {
		return err
	}
	defer client.Close()
	return clickhouse.CheckTables(ctx, client)
}
