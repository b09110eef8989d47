package query

import (
	"cmp"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Limits bound every statement. The zero value of a field means its default.
type Limits struct {
	Time   time.Duration // default DefaultTime
	Memory uint64        // bytes in ClickHouse; default is the server's
	Rows   uint64        // that are read; default any number
	// Threads is how many threads a statement has in ClickHouse; default is the server's.
	Threads int
}

// DefaultTime is how long a statement may run.
const DefaultTime = time.Minute

// settings returns what holds for every statement.
func (l Limits) settings() clickhouse.Settings {
	s := clickhouse.Settings{
		// A row's partition is made from its key, so FINAL need not look across.
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
