package settings

import "tapedeck/internal/budget"

// Memory bounds the memory of a server.
type Memory struct {
	Memory         Size `help:"Memory that this process may take, without the ClickHouse of tapedeck up. The defaults of the limits in bytes, and of --max-streams, are shares of it. 0: the limit of the control group, less ClickHouse's share." default:"0" min:"256MiB" zero:"the limit of the control group" env:"TAPEDECK_MEMORY" placeholder:"SIZE"`
	MaxWriterBytes Size `help:"Memory that large frames and blocks may take which arrive and are not published, each up to four times its size. Beyond it a client waits, unread, for 25 seconds and is then answered 503." default:"512MiB" min:"1MiB" env:"TAPEDECK_MAX_WRITER_BYTES" placeholder:"SIZE"`
}

// WritersBudget returns the budget of writers.
func (m *Memory) WritersBudget() *budget.Budget {
	return budget.NewWriters(budget.Options{Bytes: int64(m.MaxWriterBytes)})
}

// budgets returns what the parts may take, by their name in metrics, bytes.
func (s *Server) budgets() map[string]int64 {
	return map[string]int64{
		"readers": int64(s.MaxReaderBytes), "session_cache": int64(s.SessionCacheBytes), "writers": int64(s.MaxWriterBytes),
		"sink_messages": int64(s.SinkHeldBytes), "sink_batches": 4 * int64(s.SinkBatchBytes), "in_flight": inFlightBytes,
		"streams": int64(s.MaxStreams) * streamBytes,
	}
}
