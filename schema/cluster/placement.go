package cluster

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/go-faster/city"
)

// Placement assigns the rows of sessions to shards, as the Distributed tables do. All rows of a
// stream are on one shard, and all streams of a session are, unless a shard was added between them.
type Placement []Epoch

// Epoch is a number of shards and the streams that are spread over them: those whose ids are less
// than Until and in no earlier epoch. The last epoch has no end. The ids of streams begin with their
// times.
type Epoch struct {
	Until  string
	Shards int
}

// Key returns the sharding key of the Distributed tables. It has the numbers of shards, so that a
// shard that is added to the configuration of the servers gets no rows before Key names it. As long as
// no shard was added it has no other columns than those of a session, so that ClickHouse finds the
// shard of a session by it.
func (p Placement) Key() string {
	last := strconv.Itoa(p[len(p)-1].Shards)
	if len(p) == 1 {
		return hashed + last
	}
	var key strings.Builder
	key.WriteString(hashed + "multiIf(")
	for _, e := range p[:len(p)-1] {
		fmt.Fprintf(&key, "stream_id < '%s', %d, ", e.Until, e.Shards)
	}
	return key.String() + last + ")"
}

// Extend returns the placement by which streams that begin from a time on are spread over a number of
// shards. It returns p if it is the number of the last epoch.
func (p Placement) Extend(shards int, from time.Time) Placement {
	last := len(p) - 1
	if p[last].Shards == shards {
		return p
	}
	longer := slices.Clone(p)
	longer[last].Until = firstID(from)
	return append(longer, Epoch{Shards: shards})
}

// firstID returns the beginning of the ids of the first streams of a time: the milliseconds of a UUIDv7.
func firstID(t time.Time) string {
	ms := fmt.Sprintf("%012x", t.UnixMilli())
	return ms[:8] + "-" + ms[8:]
}

// hashed is the beginning of the sharding key.
const hashed = "cityHash64(tenant, session_id) % "

// Of returns the number of the shard that has the rows of a stream, from 1.
func (p Placement) Of(tenant, session, stream string) uint32 {
	shards := 1
	for _, e := range p {
		if shards = e.Shards; e.Until == "" || stream < e.Until {
			break
		}
	}
	return uint32(combine(city.CH64([]byte(tenant)), city.CH64([]byte(session)))%uint64(shards)) + 1
}

// combine is how the function cityHash64 of ClickHouse combines the hashes of its arguments:
// Hash128to64 of CityHash.
func combine(low, high uint64) uint64 {
	const factor = 0x9ddfea08eb382d69
	a := (low ^ high) * factor
	a ^= a >> 47
	b := (high ^ a) * factor
	b ^= b >> 47
	return b * factor
}

var (
	keyOfOne   = regexp.MustCompile(`cityHash64\(tenant, session_id\) % (\d+)\)`)
	keyOfMore  = regexp.MustCompile(`cityHash64\(tenant, session_id\) % multiIf\(([^()]+), (\d+)\)`)
	keyOfEpoch = regexp.MustCompile(`stream_id < '([^']+)', (\d+)`)
)

const readEngine = `SELECT engine_full FROM system.tables WHERE database = {database:String} AND name = 'frames'`

// ReadPlacement returns the placement by which a member inserts, nil if its Distributed tables do not
// exist. conn is a connection to the member.
func (c *Conn) ReadPlacement(ctx context.Context, conn driver.Conn) (Placement, error) {
	var engine string
	err := conn.QueryRow(ctx, readEngine, clickhouse.Named("database", c.database)).Scan(&engine)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the sharding key of cluster %s: %w", c.name, err)
	}
	return parsePlacement(engine)
}

// Placement returns the placement by which the member of the connection inserts.
func (c *Conn) Placement(ctx context.Context) (Placement, error) {
	p, err := c.ReadPlacement(ctx, c.Conn)
	if err == nil && p == nil {
		return nil, fmt.Errorf("cluster %s has no tables: run \"tapedeck migrate\"", c.name)
	}
	return p, err
}

// parsePlacement reads the placement from the engine of a Distributed table.
func parsePlacement(engine string) (Placement, error) {
	of := keyOfOne.FindStringSubmatch(engine)
	if of == nil {
		of = keyOfMore.FindStringSubmatch(engine)
	}
	if of == nil {
		return nil, fmt.Errorf("the sharding key of %s is none of those of tapedeck", engine)
	}
	var p Placement
	for _, e := range keyOfEpoch.FindAllStringSubmatch(of[1], -1) {
		n, err := strconv.Atoi(e[2])
		if err != nil {
			return nil, fmt.Errorf("the sharding key of %s: %w", engine, err)
		}
		p = append(p, Epoch{Until: e[1], Shards: n})
	}
	n, err := strconv.Atoi(of[len(of)-1])
	if err != nil {
		return nil, fmt.Errorf("the sharding key of %s: %w", engine, err)
	}
	return append(p, Epoch{Shards: n}), nil
}
