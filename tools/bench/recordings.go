package bench

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// recordings is a set of sessions that are generated in ClickHouse as the sink would have written
// them. Each session is one stream with Loom frames of about 140 bytes. The frames arrived every 20
// ms on average, each at most 19 ms after its slot.
type recordings struct {
	name     string // name of the sessions, before their numbers
	sessions int
	frames   int // of each session
}

const (
	recordedGap = 20 * time.Millisecond
	// recordedFrom is when the first frame of each session arrived, in seconds since 1970.
	recordedFrom = 1746748800
)

// id returns the id of a session.
func (r *recordings) id(session int) string { return fmt.Sprintf("%s-%d", r.name, session) }

// stream returns the id of a session's stream. The ids differ at their ends.
func (r *recordings) stream(session int) string {
	return fmt.Sprintf("0196b3a0-0000-7000-8000-%012d", session)
}

// make inserts the sessions and returns the total size of their frames, bytes.
func (r *recordings) make(ctx context.Context, c *cluster) (bytes uint64, err error) {
	ctx = clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters{
		"name": r.name, "sessions": strconv.Itoa(r.sessions), "frames": strconv.Itoa(r.frames), "from": strconv.Itoa(recordedFrom),
		"gap": strconv.FormatInt(int64(recordedGap),
			10), "spread": strconv.FormatInt(int64(recordedGap-time.Millisecond), 10),
	}))
	for _, query := range []string{statement("insert_recordings"), statement("insert_streams")} {
		if err := c.db.Exec(ctx, query); err != nil {
			return 0, fmt.Errorf("make the sessions %s: %w", r.name, err)
		}
	}
	err = c.db.QueryRow(ctx, statement("recorded_bytes")).Scan(&bytes)
	return bytes, err
}
