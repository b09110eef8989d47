package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Health is the uptime and the disks of a ClickHouse server.
type Health struct {
	UptimeS uint32 `json:"uptime_s"`
	// AnswerMS is how long the server took to answer.
	AnswerMS float64 `json:"answer_ms"`
	// ClockMS is by how much the server's clock is ahead of the clock of this process.
	ClockMS float64 `json:"clock_ahead_ms"`
	// Disks are the disks of tapedeck's tables; empty if the user may not read system.disks.
	Disks []Disk `json:"disks,omitempty"`
}

// Disk is one of the server's local disks.
type Disk struct {
	Name string `json:"name"`
	Free uint64 `json:"free_bytes"`
	Size uint64 `json:"size_bytes"`
}

// ReadHealth reads the health of a server.
func ReadHealth(ctx context.Context, db driver.Conn) (Health, error) {
	var h Health
	var clock int64
	began := time.Now()
	if err := db.QueryRow(ctx, readUptime).Scan(&h.UptimeS, &clock); err != nil {
		return h, fmt.Errorf("ask ClickHouse for its uptime: %w", err)
	}
	took := time.Since(began)
	h.AnswerMS = float64(took) / 1e6
	h.ClockMS = float64(clock) - float64(began.Add(took/2).UnixMicro())/1e3
	rows, err := db.Query(ctx, readDisks)
	if err != nil {
		return h, nil // the user has no access to system.disks
	}
	defer rows.Close()
	for rows.Next() {
		var d Disk
		if err := rows.Scan(&d.Name, &d.Free, &d.Size); err != nil {
			return h, fmt.Errorf("read ClickHouse's disks: %w", err)
		}
		h.Disks = append(h.Disks, d)
	}
	if err := rows.Err(); err != nil {
		return h, fmt.Errorf("read ClickHouse's disks: %w", err)
	}
	return h, nil
}
