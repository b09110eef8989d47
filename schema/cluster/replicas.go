package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// pingTimeout bounds how long a replica is waited for before the next one of its shard is taken.
const pingTimeout = 5 * time.Second

// reachable returns the first member of each shard that can be reached. It returns an error if a shard
// has none.
func (c *Conn) reachable(ctx context.Context, members []Member) ([]Member, error) {
	return firstOfEach(members, func(m Member) error { return c.ping(ctx, m) })
}

// firstOfEach returns the first member of each shard that try accepts, in order of the shards.
func firstOfEach(members []Member, try func(Member) error) (list []Member, err error) {
	for _, of := range ByShard(members) {
		var failed []string
		for _, m := range of {
			err := try(m)
			if err == nil {
				list = append(list, m)
				break
			}
			failed = append(failed, fmt.Sprintf("%s: %v", m.Address, err))
		}
		if len(failed) == len(of) {
			return nil, fmt.Errorf("no replica of shard %d can be reached: %s", of[0].Shard, strings.Join(failed, "; "))
		}
	}
	return list, nil
}

// ByShard returns the members of each shard, in order.
func ByShard(members []Member) (shards [][]Member) {
	for _, m := range members {
		if n := len(shards); n == 0 || shards[n-1][0].Shard != m.Shard {
			shards = append(shards, nil)
		}
		shards[len(shards)-1] = append(shards[len(shards)-1], m)
	}
	return shards
}

// ping returns an error if a member does not answer.
func (c *Conn) ping(ctx context.Context, m Member) error {
	conn, err := c.On(m, "system")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return conn.Ping(ctx)
}

// SyncReplicas makes the first replica of each shard that can be reached fetch what other replicas have
// of a table. It does nothing if the tables are not replicated. A deletion is only complete if the
// replica on which its rows are counted has all of them.
func SyncReplicas(ctx context.Context, conn driver.Conn, table string) error {
	c, is := conn.(*Conn)
	if !is || !c.Engine().IsReplicated() {
		return nil
	}
	members, err := c.Members(ctx)
	if err == nil {
		members, err = c.reachable(ctx, members)
	}
	if err != nil {
		return err
	}
	for _, m := range members {
		conn, err := c.On(m, c.Local())
		if err == nil {
			err = conn.Exec(ctx, "SYSTEM SYNC REPLICA "+table+" LIGHTWEIGHT")
		}
		if err != nil {
			return fmt.Errorf("wait until %s has all rows of %s: %w", m.Address, table, err)
		}
	}
	return nil
}
