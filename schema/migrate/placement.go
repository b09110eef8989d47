package migrate

import (
	"context"
	"fmt"
	"time"

	"tapedeck/schema/cluster"
)

// addedAfter is the time from the migration that adds a shard to the first streams on it. By then the
// Distributed tables of all members have the same placement.
const addedAfter = time.Hour

// place returns the placement of the Distributed tables: the one that they have or, if shards were added,
// one by which later streams are spread over all shards. If an earlier run was interrupted, the members
// have different placements, of which the one with most epochs is the latest.
func place(ctx context.Context, c *cluster.Conn, members []cluster.Member, now time.Time) (cluster.Placement, error) {
	var latest cluster.Placement
	for _, m := range members {
		conn, err := c.On(m, anyDatabase)
		if err != nil {
			return nil, err
		}
		p, err := c.ReadPlacement(ctx, conn)
		if err != nil {
			return nil, fmt.Errorf("member %s: %w", m.Address, err)
		}
		if len(p) > len(latest) {
			latest = p
		}
	}
	shards := int(members[len(members)-1].Shard)
	if len(latest) == 0 {
		return cluster.Placement{{Shards: shards}}, nil
	}
	if had := latest[len(latest)-1].Shards; shards < had {
		return nil, fmt.Errorf("%w: the tables are spread over %d shards and cluster %s has %d: add the missing shards to it",
			ErrCluster, had, c.Name(), shards)
	}
	return latest.Extend(shards, now.Add(addedAfter)), nil
}
