package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/schema/cluster"
	"tapedeck/schema/migrate"
)

const (
	// replicatedFor bounds how long an insert, or a deletion, is waited for on the other replicas.
	replicatedFor = 20 * time.Second
	// delayMost is the delay of a replica behind the others from which on it is a problem, seconds.
	delayMost = 60

	readReplicas = `SELECT table, is_readonly != 0, toUInt64(absolute_delay), toUInt32(active_replicas), toUInt32(total_replicas)
		FROM system.replicas WHERE database = currentDatabase() ORDER BY table`
	countTables = `SELECT count() FROM system.tables WHERE database = currentDatabase() AND engine LIKE 'Replicated%MergeTree'`
)

// macros checks that each member has the macros of its shard and its replica.
func (c *clusterCheck) macros(ctx context.Context) (string, error) {
	if err := migrate.CheckReplicas(ctx, c.conn, c.members); err != nil {
		return "", err
	}
	return "each member has the macros shard and replica, and no other member has the same", nil
}

// replicas checks the replicated tables of each member.
func (c *clusterCheck) replicas(ctx context.Context) (string, error) {
	tables, slowest := 0, uint64(0)
	for _, m := range c.members {
		if c.isAway(int(m.Shard)) {
			continue
		}
		conn, err := c.conn.On(m, c.conn.Local())
		if err != nil {
			return "", err
		}
		n, delay, err := checkTables(ctx, conn)
		if err != nil {
			return "", fmt.Errorf("member %s: %w", m.Address, err)
		}
		tables, slowest = n, max(slowest, delay)
	}
	return fmt.Sprintf("%d tables of each member are replicated, the slowest is %d s behind", tables, slowest), nil
}

// checkTables returns the number of replicated tables of a member and the longest delay, seconds.
func checkTables(ctx context.Context, conn driver.Conn) (n int, slowest uint64, err error) {
	rows, err := conn.Query(ctx, readReplicas)
	if err != nil {
		return 0, 0, fmt.Errorf("read system.replicas: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var table string
		var readonly bool
		var delay uint64
		var active, total uint32
		if err := rows.Scan(&table, &readonly, &delay, &active, &total); err != nil {
			return 0, 0, fmt.Errorf("read system.replicas: %w", err)
		}
		n++
		slowest = max(slowest, delay)
		switch {
		case readonly:
			return n, delay, fmt.Errorf("the table %s can only be read: its server has no session with Keeper, or lacks interserver_http_port", table)
		case active < total:
			return n, delay, fmt.Errorf("%d of %d replicas of the table %s are active: start the others, or remove them with SYSTEM DROP REPLICA", active, total, table)
		case delay > delayMost:
			return n, delay, fmt.Errorf("the table %s is %d s behind", table, delay)
		}
	}
	if err := rows.Err(); err != nil {
		return 0, 0, fmt.Errorf("read system.replicas: %w", err)
	}
	var want uint64
	if err := conn.QueryRow(ctx, countTables).Scan(&want); err != nil {
		return 0, 0, fmt.Errorf("count the replicated tables: %w", err)
	}
	if n == 0 || uint64(n) != want {
		return n, slowest, fmt.Errorf("system.replicas has %d of %d replicated tables", n, want)
	}
	return n, slowest, nil
}

// replicate checks that the row that was inserted into a shard is on each of its replicas, and that a
// row that is inserted through each other replica is on all of them.
func (c *clusterCheck) replicate(ctx context.Context) (string, error) {
	others := 0
	for _, m := range c.members {
		if c.isAway(int(m.Shard)) || m.Replica == 1 {
			continue
		}
		others++
		conn, err := c.conn.On(m, c.conn.Local())
		if err == nil {
			err = c.await(ctx, 1, m)
		}
		if err == nil {
			// The same row: it replaces the first one.
			err = conn.Exec(ctx, insertChecked, clickhouse.Named("tenant", clusterTenant),
				clickhouse.Named("session", c.sessions[m.Shard-1]), clickhouse.Named("stream", c.stream))
		}
		if err == nil {
			err = c.awaitParts(ctx, m)
		}
		if err != nil {
			return "", fmt.Errorf("replica %s of shard %d: %w", m.Address, m.Shard, err)
		}
	}
	if others == 0 {
		return "each shard has one replica, so nothing was replicated", nil
	}
	return fmt.Sprintf("rows that are inserted through one replica are on the others, %d replicas besides the first ones", others), nil
}

// await waits until a member has n rows of the check.
func (c *clusterCheck) await(ctx context.Context, n uint64, m cluster.Member) error {
	conn, err := c.conn.On(m, c.conn.Local())
	if err != nil {
		return err
	}
	return until(ctx, func() (string, error) {
		has, err := c.count(ctx, conn, countChecked)
		if err != nil || has == n {
			return "", err
		}
		return fmt.Sprintf("%d rows of the check, want %d", has, n), nil
	})
}

// awaitParts waits until all replicas of the shard of a member have as many rows as the member, before
// rows with the same key are merged.
func (c *clusterCheck) awaitParts(ctx context.Context, from cluster.Member) error {
	const countAll = `SELECT count() FROM frames WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}`
	source, err := c.conn.On(from, c.conn.Local())
	if err != nil {
		return err
	}
	for _, m := range c.members {
		if m.Shard != from.Shard || m == from {
			continue
		}
		conn, err := c.conn.On(m, c.conn.Local())
		if err != nil {
			return err
		}
		err = until(ctx, func() (string, error) {
			want, err := c.count(ctx, source, countAll)
			if err != nil {
				return "", err
			}
			has, err := c.count(ctx, conn, countAll)
			if err != nil || has == want {
				return "", err
			}
			return fmt.Sprintf("%s has %d of the %d rows", m.Address, has, want), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// until asks again until what is missing is "", for replicatedFor at most.
func until(ctx context.Context, missing func() (string, error)) error {
	end := time.Now().Add(replicatedFor)
	for {
		what, err := missing()
		if err != nil || what == "" {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s after %v: see last_queue_update_exception of system.replicas and system.replication_queue there", what, replicatedFor)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// removeReplicated deletes the rows through one replica of each shard, and checks that they are deleted
// on all.
func (c *clusterCheck) removeReplicated(ctx context.Context) (string, error) {
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"mutations_sync": 2}))
	removed, shards := 0, 0
	for _, replicas := range cluster.ByShard(c.members) {
		if c.isAway(int(replicas[0].Shard)) {
			continue
		}
		conn, err := c.conn.On(replicas[0], c.conn.Local())
		if err == nil {
			err = conn.Exec(ctx, removeChecked, clickhouse.Named("tenant", clusterTenant), clickhouse.Named("sessions", c.sessions))
		}
		if err != nil {
			return "", fmt.Errorf("delete on member %s: %w", replicas[0].Address, err)
		}
		shards++
		for _, m := range replicas {
			if err := c.await(ctx, 0, m); err != nil {
				return "", fmt.Errorf("replica %s of shard %d: %w", m.Address, m.Shard, err)
			}
			removed++
		}
	}
	return fmt.Sprintf("the rows are deleted on %d members by statements on %d", removed, shards), nil
}
