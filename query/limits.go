package query

import (
	"cmp"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Limits bound every statement. The zero value of a field means its default.
type Limits struct {
	Time   time.Duration // default DefaultTime
	Memory uint64        // bytes in ClickHouse; default is the server's limit
	Rows   uint64        // rows that are read; default unlimited
	// Threads is the maximum number of threads of a statement in ClickHouse; default is the
	// server's.
	Threads int
}

// DefaultTime is the default of Limits.Time.
const DefaultTime = time.Minute

// settings returns the ClickHouse settings of every statement.
func (l Limits) settings() clickhouse.Settings {
	s := clickhouse.Settings{
		// The partition key is derived from the sorting key, so FINAL need not merge across
		// partitions.
		"do_not_merge_across_partitions_select_final": 1,
		"max_execution_time":                          max(int(cmp.Or(l.Time, DefaultTime)/time.Second), 1),
	}
	if l.Memory > 0 {
		s["max_memory_usage"] = l.Memory
	}
	if l.Rows > 0 {
		s["max_rows_to_read"] = l.Rows
	}
	if l.Threads > 0 {
		s["max_threads"] = l.Threads
	}
	return s
}
