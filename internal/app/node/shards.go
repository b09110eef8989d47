package node

import (
	"context"
	"fmt"
	"strings"

	"tapedeck/internal/app/health"
	"tapedeck/schema/cluster"
)

// checkShards reports the shards of the ClickHouse cluster that are away. It is advisory: other shards
// are written and read.
func checkShards(ctx context.Context, c *cluster.Conn) []health.Check {
	away, err := c.RecentlyAway(ctx)
	if err != nil {
		return nil // the check of ClickHouse reports it
	}
	check := health.Check{Part: health.Shards, OK: len(away) == 0, Advisory: true}
	addresses := []string{}
	for _, m := range away {
		addresses = append(addresses, m.Address)
	}
	check.State = map[string][]string{"away": addresses}
	if !check.OK {
		check.Detail = fmt.Sprintf("%s of cluster %s cannot be reached: recordings on it are missing from lists and reports, "+
			"and what is recorded for it waits in JetStream", strings.Join(addresses, " and "), c.Name())
		check.Do = "start ClickHouse there, or restore the network between the members"
	}
	return []health.Check{check}
}
