package query

import (
	"context"

	"tapedeck/schema/cluster"
)

// WithoutAway returns a context of a question that is answered without the shards that are away, and
// their addresses. If none is away, or if the first shard is, which has what all answers need, it
// returns ctx: then the question is answered as a whole, or fails.
func (r *Reader) WithoutAway(ctx context.Context) (_ context.Context, missing []string) {
	c, is := r.conn.(*cluster.Conn)
	if !is {
		return ctx, nil
	}
	away, err := c.RecentlyAway(ctx)
	if err != nil || len(away) == 0 || away[0].Shard == 1 {
		return ctx, nil
	}
	for _, m := range away {
		missing = append(missing, m.Address)
	}
	return cluster.WithPartial(ctx), missing
}
