package sink

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"tapedeck/internal/metric"
	"tapedeck/schema/block"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/cluster"
)

// shards knows which shards of a cluster are away. Blocks of these shards stay in JetStream, so that
// the blocks of the other shards are stored. It is safe for use by many goroutines.
type shards struct {
	conn *cluster.Conn // nil for one server
	log  *slog.Logger

	mu        sync.Mutex // guards the fields below
	placement cluster.Placement
	away      map[uint32]string // addresses of the shards that are away
}

// lookEvery is the interval at which shards that are away are looked for.
const lookEvery = 2 * time.Second

// errAway reports that a block is not stored because its shard is away.
var errAway = errors.New("the shard is away")

// openShards connects to the cluster that a DSN names. Without a cluster no shard is ever away.
func openShards(dsn string, log *slog.Logger) (*shards, error) {
	conn, err := clickhouse.OpenCluster(dsn)
	if err != nil {
		return nil, err
	}
	return &shards{conn: conn, log: log}, nil
}

func (s *shards) close() {
	if s.conn != nil {
		_ = s.conn.Close() // it only reads
	}
}

// look finds out which shards are away, and reports whether there are any.
func (s *shards) look(ctx context.Context) bool {
	if s.conn == nil {
		return false
	}
	members, err := s.conn.Away(ctx)
	var placement cluster.Placement
	if err == nil && len(members) > 0 {
		placement, err = s.conn.Placement(ctx)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("sink: it is unknown which shards are away", "error", err)
		}
		return false
	}
	away := map[uint32]string{}
	for _, m := range members {
		away[m.Shard] = m.Address
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for shard, address := range away {
		if s.away[shard] == "" {
			s.log.Warn("sink: a shard is away, its blocks wait in JetStream", "shard", shard, "address", address)
		}
	}
	for shard, address := range s.away {
		if away[shard] == "" {
			s.log.Info("sink: a shard is back", "shard", shard, "address", address)
		}
	}
	s.placement, s.away = placement, away
	shardsAway.Set(float64(len(away)))
	return len(away) > 0
}

// watch looks for shards that are away until ctx ends.
func (s *shards) watch(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if len(s.names()) > 0 {
				s.look(ctx)
			}
		}
	}
}

// names returns the addresses of the shards that are away.
func (s *shards) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, address := range s.away {
		list = append(list, address)
	}
	return list
}

// check returns errAway if rows of a block belong to a shard that is away. Of nil it returns nil.
func (s *shards) check(tenant string, b *block.Block) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.away) == 0 {
		return nil
	}
	if address := s.away[s.placement.Of(tenant, b.Session, b.State.StreamID)]; address != "" {
		return fmt.Errorf("%w: %s", errAway, address)
	}
	for i := range b.Left {
		l := &b.Left[i]
		if address := s.away[s.placement.Of(tenant, l.Session, l.State.StreamID)]; address != "" {
			return fmt.Errorf("%w: %s", errAway, address)
		}
	}
	return nil
}

// describeAway says which shards are away; "" if none is.
func describeAway(addresses []string) string {
	if len(addresses) == 0 {
		return ""
	}
	return fmt.Sprintf("the shards of %s are away: their blocks wait in JetStream, other blocks are stored", strings.Join(addresses, " and "))
}

var shardsAway = metric.Gauge(metric.Sink, "tapedeck_sink_shards_away",
	"Shards of the ClickHouse cluster that the sink cannot write to. Their blocks wait in JetStream.")
