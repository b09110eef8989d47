package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// awayTimeout bounds how long the shards are waited for.
const awayTimeout = 20 * time.Second

const readShards = `SELECT DISTINCT toUInt32(shardNum()) FROM cluster({cluster:String}, system.one)`

// Away returns the members of the shards of which no member can be reached from the member of the
// connection, by shards. It returns nil if all can be reached.
func (c *Conn) Away(ctx context.Context) ([]Member, error) {
	ctx, cancel := context.WithTimeout(ctx, awayTimeout)
	defer cancel()
	members, err := c.Members(ctx)
	if err != nil {
		return nil, err
	}
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{
		"skip_unavailable_shards": 1, "connections_with_failover_max_tries": 1,
	}), clickhouse.WithParameters(clickhouse.Parameters{"cluster": c.name}))
	rows, err := c.Conn.Query(ctx, readShards)
	if err != nil {
		return nil, fmt.Errorf("look for the shards of cluster %s: %w", c.name, err)
	}
	defer rows.Close()
	var there []uint32
	for rows.Next() {
		var shard uint32
		if err := rows.Scan(&shard); err != nil {
			return nil, fmt.Errorf("look for the shards of cluster %s: %w", c.name, err)
		}
		there = append(there, shard)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look for the shards of cluster %s: %w", c.name, err)
	}
	return slices.DeleteFunc(members, func(m Member) bool { return slices.Contains(there, m.Shard) }), nil
}

// awayFor is the time for which RecentlyAway returns the same members.
const awayFor = time.Second

// RecentlyAway is Away at some time in the last second.
func (c *Conn) RecentlyAway(ctx context.Context) ([]Member, error) {
	c.looking.Lock()
	defer c.looking.Unlock()
	if time.Since(c.looked) >= awayFor {
		c.away, c.awayErr = c.Away(context.WithoutCancel(ctx)) // the next request uses it
		c.looked = time.Now()
	}
	return c.away, c.awayErr
}

type partialKey struct{}

// WithPartial returns a context of statements that leave out the shards that are away. Without it they
// fail.
func WithPartial(ctx context.Context) context.Context {
	return context.WithValue(ctx, partialKey{}, true)
}

// IsPartial reports whether statements leave out the shards that are away.
func IsPartial(ctx context.Context) bool { return ctx.Value(partialKey{}) != nil }
