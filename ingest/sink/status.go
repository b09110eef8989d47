package sink

import (
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Status is the state of a sink.
type Status struct {
	OK         bool      `json:"ok"`
	Trouble    string    `json:"trouble,omitempty"` // what is unavailable: "ClickHouse", "JetStream"
	Error      string    `json:"error,omitempty"`
	Code       string    `json:"code,omitempty"`  // ClickHouse's name for the error
	Table      string    `json:"table,omitempty"` // the table of the error
	Do         string    `json:"do,omitempty"`    // the remedy
	Since      time.Time `json:"since"`           // start of the trouble, or time of the last insert
	LastInsert time.Time `json:"last_insert"`
}

type status struct {
	mu  sync.Mutex // guards now
	now Status
}

// Status returns the state of the sink.
func (s *Sink) Status() Status {
	s.stat.mu.Lock()
	defer s.stat.mu.Unlock()
	return s.stat.now
}

// failed records trouble and reports whether it is new or has another reason than before.
func (s *status) failed(part string, err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh, code := s.now.Trouble != part, s.now.Code
	if fresh {
		s.now.Since = time.Now()
	}
	s.now.OK, s.now.Trouble = false, part
	s.now.Error, s.now.Code, s.now.Table, s.now.Do = "", "", "", ""
	if err != nil {
		s.now.Error = err.Error()
		if part == "ClickHouse" {
			t := diagnose(err)
			s.now.Code, s.now.Table, s.now.Do = t.code, t.table, t.do
		}
	}
	return fresh || s.now.Code != code
}

// connected records that the subscription works.
func (s *status) connected() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.Trouble != "ClickHouse" {
		s.now = Status{OK: true, Since: time.Now(), LastInsert: s.now.LastInsert}
	}
}

// reached records that ClickHouse accepts inserts, before any block is inserted.
func (s *status) reached(log *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.Trouble == "ClickHouse" {
		log.Info("sink: ClickHouse accepts inserts", "away_for", time.Since(s.now.Since).Round(time.Millisecond))
		s.now = Status{Since: time.Now()}
	}
}

// stored records a success, and logs it if it ends trouble.
func (s *status) stored(log *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.Trouble == "ClickHouse" {
		log.Info("sink: ClickHouse stores blocks again", "away_for", time.Since(s.now.Since).Round(time.Millisecond))
	}
	s.now = Status{OK: true, Since: time.Now(), LastInsert: time.Now()}
}

var (
	storedFrames = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_sink_frames_total", Help: "Frames stored in ClickHouse, repeats included.",
	})
	storedBlocks = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_sink_blocks_total", Help: "Blocks stored in ClickHouse, repeats included.",
	})
	insertFailures = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_sink_insert_failures_total", Help: "Inserts into ClickHouse that failed and were tried again.",
	})
	insertSeconds = promauto.NewHistogram(prometheus.HistogramOpts{
		Name: "tapedeck_sink_insert_seconds", Help: "Time that one batch took to insert.",
		Buckets: prometheus.ExponentialBuckets(0.002, 2, 14),
	})
	deadBlocks = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_sink_dead_blocks_total", Help: "Blocks that could not be stored and were set aside.",
	})
)
