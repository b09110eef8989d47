package sink

import (
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

// Status is the state of a sink.
type Status struct {
	OK         bool      `json:"ok"`
	Trouble    string    `json:"trouble,omitempty"` // what is unavailable: "ClickHouse", "JetStream"
	Error      string    `json:"error,omitempty"`
	Code       string    `json:"code,omitempty"`  // ClickHouse's name for the error
	Table      string    `json:"table,omitempty"` // the table of the error
	Do         string    `json:"do,omitempty"`    // what to do about the error
	Since      time.Time `json:"since"`           // start of the trouble, or time of the last insert
	LastInsert time.Time `json:"last_insert"`
	ShardsAway []string  `json:"shards_away,omitempty"` // addresses of the shards of a cluster that are away
}

type status struct {
	mu   sync.Mutex // guards the fields below
	now  Status
	away map[string]struct{} // streams of partitions that are not subscribed to
}

// Status returns the state of the sink.
func (s *Sink) Status() Status {
	s.stat.mu.Lock()
	defer s.stat.mu.Unlock()
	now := s.stat.now
	now.ShardsAway = s.shards.names()
	return now
}

// Unreachable records that ClickHouse refuses connections or does not answer. It is called before
// Run.
func (s *Sink) Unreachable(err error) { s.stat.failed("ClickHouse", err) }

// failed records trouble, and reports whether the trouble is new or has a new reason.
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

// subscribing forgets the partitions of earlier subscriptions, which may not exist any more.
func (s *status) subscribing() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.away)
}

// disconnected records that the subscription to the stream of a partition failed.
func (s *status) disconnected(name string, err error) {
	s.mu.Lock()
	if s.away == nil {
		s.away = map[string]struct{}{}
	}
	s.away[name] = struct{}{}
	s.mu.Unlock()
	s.failed("JetStream", err)
}

// connected records that the subscription to the stream of a partition is established.
func (s *status) connected(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.away, name); len(s.away) == 0 && s.now.Trouble != "ClickHouse" {
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

// stored records a successful insert, and logs it if it ends trouble.
func (s *status) stored(log *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.Trouble == "ClickHouse" {
		log.Info("sink: ClickHouse stores blocks again", "away_for", time.Since(s.now.Since).Round(time.Millisecond))
	}
	s.now = Status{OK: true, Since: time.Now(), LastInsert: time.Now()}
}

var (
	storedFrames = metric.Counter(metric.Sink, "tapedeck_sink_frames_total",
		"Frames stored in ClickHouse, repeats included.")
	storedBlocks = metric.Counter(metric.Sink, "tapedeck_sink_blocks_total",
		"Blocks stored in ClickHouse, repeats included.")
	insertFailures = metric.Counter(metric.Sink, "tapedeck_sink_insert_failures_total",
		"Inserts into ClickHouse that failed and were tried again.")
	insertSeconds = metric.Histogram(metric.Sink, "tapedeck_sink_insert_seconds",
		"Time that one batch took to insert.", prometheus.ExponentialBuckets(0.002, 2, 14))
	batchFrames = metric.Histogram(metric.Sink, "tapedeck_sink_batch_frames",
		"Frames of one batch that was inserted.", prometheus.ExponentialBuckets(1, 8, 8)) // 1 to 2 million
	lastInsert = metric.Gauge(metric.Sink, "tapedeck_sink_last_insert_timestamp_seconds",
		"When a batch was last inserted, in seconds since 1970; 0 before the first.")
	deadBlocks = metric.Counter(metric.Sink, "tapedeck_sink_dead_blocks_total",
		"Blocks that could not be stored and were set aside.")
)
