package backup

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Step is the current step of a backup or restore, and how much of it is done. The unit of Done and
// Total is that of the step: rows while hashing, bytes while writing or restoring. Total is 0 if it
// is unknown.
type Step struct {
	Name  string
	Done  int64
	Total int64
}

// steps reports the steps of one backup or restore.
type steps struct {
	report func(Step) // may be nil
	now    Step
}

// begin reports that a step begins.
func (s *steps) begin(name string, total int64) {
	s.now = Step{Name: name, Total: total}
	s.send()
}

// set reports how much of the current step is done. ClickHouse counts more than the total where it
// writes files of its own beside the data, or reads rows twice; set stops at the total.
func (s *steps) set(done int64) {
	if s.now.Total > 0 {
		done = min(done, s.now.Total)
	}
	if done > s.now.Done {
		s.now.Done = done
		s.send()
	}
}

func (s *steps) send() {
	if s.report != nil {
		s.report(s.now)
	}
}

// counting returns a context for a statement. The rows that ClickHouse reads for the statement are
// added to what is done of the current step.
func (s *steps) counting(ctx context.Context) context.Context {
	before, read := s.now.Done, int64(0)
	return clickhouse.Context(ctx, clickhouse.WithProgress(func(p *clickhouse.Progress) {
		read += int64(p.Rows) //nolint:gosec // a number of rows
		s.set(before + read)
	}))
}

// restored reports what ClickHouse restored.
func (s *steps) restored(p Progress) {
	s.now.Total = int64(p.Bytes) //nolint:gosec // a number of bytes
	s.set(int64(p.ReadBytes))    //nolint:gosec // a number of bytes
}
