package query

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// sessionTables are the tables that hold something of a session. The streams
// come last: while a session is on the list it can be asked for again to be
// deleted, should it have failed half way. Without its redecodes nothing of a
// later generation shows, and nothing hides what is recorded anew.
var sessionTables = []string{"frames", "spans", "messages", "usage", "redecodes", "streams"}

// Delete removes a session and all its facts. When it returns, nothing of it
// shows any more; the disk is freed when ClickHouse merges. A session that is
// still being recorded comes back with its next frame.
func (r *Reader) Delete(ctx context.Context, tenant, session string) error {
	if _, err := r.find(ctx, tenant, session); err != nil {
		return err
	}
	// 2 waits for the deletion on every replica.
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"lightweight_deletes_sync": 2}))
	for _, table := range sessionTables {
		err := r.conn.Exec(ctx, "DELETE FROM "+table+" WHERE tenant = {tenant:String} AND session_id = {session:String}",
			args{"tenant": tenant, "session": session}.named()...)
		if err != nil {
			return fmt.Errorf("delete session %s from %s: %w", session, table, err)
		}
	}
	return nil
}
