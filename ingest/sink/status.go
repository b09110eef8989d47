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

// status keeps the trouble of ClickHouse and that of JetStream apart: the end of one does not hide the
// other.
type status struct {
	mu         sync.Mutex // guards the fields below
	began      bool       // a subscription was made or a batch was inserted
	clickHouse Status     // its OK is not set; no Trouble if blocks are stored
	jetStream  Status     // likewise; no Trouble if all partitions are subscribed to
	well       time.Time  // the end of the latest trouble, or the latest insert
	lastInsert time.Time
	away       map[string]struct{} // streams of partitions that are not subscribed to
}

// Status returns the state of the sink.
func (s *Sink) Status() Status {
	s.stat.mu.Lock()
	defer s.stat.mu.Unlock()
	now := s.stat.now()
	now.ShardsAway = s.shards.names()
	return now
}

// now returns the status. mu is held.
func (s *status) now() Status {
	now := s.clickHouse
	if now.Trouble == "" {
		now = s.jetStream
	}
	if now.Trouble == "" {
		now = Status{OK: s.began, Since: s.well}
	}
	now.LastInsert = s.lastInsert
	return now
}

// Unreachable records that ClickHouse refuses connections or does not answer. It is called before
// Run.
func (s *Sink) Unreachable(err error) { s.stat.failed(err) }

// failed records trouble with ClickHouse, and reports whether the trouble is new or has a new reason.
func (s *status) failed(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh, code := s.clickHouse.Trouble == "", s.clickHouse.Code
	s.clickHouse.begin("ClickHouse", err)
	if err != nil {
		t := diagnose(err)
		s.clickHouse.Code, s.clickHouse.Table, s.clickHouse.Do = t.code, t.table, t.do
	}
	return fresh || s.clickHouse.Code != code
}

// begin sets the trouble of one part, and keeps the time at which it began.
func (s *Status) begin(part string, err error) {
	since := s.Since
	if s.Trouble == "" {
		since = time.Now()
	}
	*s = Status{Trouble: part, Since: since}
	if err != nil {
		s.Error = err.Error()
	}
}

// unread records that blocks cannot be received from JetStream.
func (s *status) unread(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jetStream.begin("JetStream", err)
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
	defer s.mu.Unlock()
	if s.away == nil {
		s.away = map[string]struct{}{}
	}
	s.away[name] = struct{}{}
	s.jetStream.begin("JetStream", err)
}

// connected records that the subscription to the stream of a partition is established.
func (s *status) connected(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.away, name); len(s.away) == 0 {
		s.began, s.jetStream, s.well = true, Status{}, time.Now()
	}
}

// reached records that ClickHouse accepts inserts, before any block is inserted.
func (s *status) reached(log *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if away := s.accepted(); away > 0 {
		log.Info("sink: ClickHouse accepts inserts", "away_for", away)
	}
}

// stored records a successful insert, and logs it if it ends trouble.
func (s *status) stored(log *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if away := s.accepted(); away > 0 {
		log.Info("sink: ClickHouse stores blocks again", "away_for", away)
	}
	s.began, s.lastInsert = true, time.Now()
}

// accepted ends trouble with ClickHouse, and returns how long it lasted; 0 if there was none. mu is
// held.
func (s *status) accepted() (away time.Duration) {
	if s.clickHouse.Trouble != "" {
		away = max(time.Since(s.clickHouse.Since).Round(time.Millisecond), time.Millisecond)
	}
	s.clickHouse, s.well = Status{}, time.Now()
	return away
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
