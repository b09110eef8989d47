package node

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tapedeck/ingest/delivery/spool"
	"tapedeck/internal/app/health"
	"tapedeck/internal/console"
	"tapedeck/internal/local/diskspace"
	"tapedeck/schema/clickhouse"
)

// checkClickHouse checks that ClickHouse answers, and the free space of its disks.
func (n *Node) checkClickHouse(ctx context.Context) []health.Check {
	h, err := clickhouse.ReadHealth(ctx, n.DB)
	if err != nil {
		return []health.Check{{Part: "clickhouse", Detail: err.Error()}}
	}
	c := health.Check{Part: "clickhouse", OK: true, State: h}
	if len(h.Disks) == 0 {
		return []health.Check{c}
	}
	disk := health.Check{Part: "clickhouse_disk", OK: true, Advisory: true}
	var room []string
	for _, d := range h.Disks {
		room = append(room, fmt.Sprintf("%s: %s free of %s", d.Name, console.Bytes(d.Free), console.Bytes(d.Size)))
		if (diskspace.Space{Free: d.Free, Size: d.Size}).Low(n.thresholds().MinDiskFree) {
			disk.OK = false
			disk.Do = "make room on that disk: ClickHouse stores nothing once it is full, and JetStream holds what comes"
		}
	}
	disk.Detail = strings.Join(room, "; ")
	return []health.Check{c, disk}
}

// checkSpool checks the server's spool. A full spool makes the process unready; blocks
// that wait in it for JetStream do not.
func (n *Node) checkSpool(st spool.State) health.Check {
	c := health.Check{Part: "spool", OK: true, Detail: st.DiskError, State: st}
	if st.Full {
		c.OK = false
		return c
	}
	if st.Blocks == 0 {
		return c
	}
	age := time.Duration(st.OldestMS * float64(time.Millisecond))
	c.Detail = fmt.Sprintf("%s on disk (%s of %s), the oldest for %s", console.Count(st.Blocks, "block"),
		console.Bytes(uint64(st.Bytes)), console.Bytes(uint64(st.Limit)), age.Round(time.Second))
	if age <= n.thresholds().MaxLag && !n.thresholds().Full(float64(st.Bytes)/float64(max(st.Limit, 1))) {
		return c
	}
	c.OK, c.Advisory = false, true
	c.Detail += ": JetStream does not take them; recording goes on until the spool is full"
	if st.LastError != "" {
		c.Detail += " (" + st.LastError + ")"
	}
	c.Do = `see the checks "nats", "jetstream" and "lag"`
	return c
}
