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
