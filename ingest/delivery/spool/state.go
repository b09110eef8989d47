package spool

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

// State describes a spool, for readiness checks and for display.
type State struct {
	Dir  string `json:"dir"`
	Mode string `json:"mode"` // "direct", or "spooling" while new blocks go to disk
	// Full reports that the last write to disk failed, so that new blocks wait.
	Full        bool      `json:"full"`
	Bytes       int64     `json:"bytes"` // on disk
	Limit       int64     `json:"limit"`
	Blocks      int       `json:"blocks"`  // on disk and not confirmed
	Refused     int       `json:"refused"` // set aside, because Next refused them permanently
	OldestMS    float64   `json:"oldest_ms"`
	Since       time.Time `json:"since"` // when the spool began to store blocks, or was drained
	LastError   string    `json:"last_error,omitempty"`
	LastErrorAt time.Time `json:"last_error_at,omitzero"`
	DiskError   string    `json:"disk_error,omitempty"`
}

// totals count blocks since Open.
type totals struct {
	passed, written, sent, retries, refused, damaged uint64
}

// State returns the spool's state.
func (s *Spool) State() State {
	st, _ := s.snapshot()
	return st
}

func (s *Spool) snapshot() (State, totals) {
	bytes, blocks, oldestAt := s.store.load()
	s.mu.Lock()
	defer s.mu.Unlock()
	st := State{
		Dir: s.opts.Dir, Mode: "direct", Full: s.diskErr != nil,
		Bytes: bytes, Limit: s.opts.Limit, Blocks: blocks, Since: s.since,
		Refused: s.store.asideCount(), LastErrorAt: s.nextErrAt,
	}
	if oldestAt != 0 {
		st.OldestMS = max(0, float64(time.Now().UnixNano()-oldestAt)/1e6)
	}
	if s.down {
		st.Mode = "spooling"
	}
	if s.nextErr != nil {
		st.LastError = s.nextErr.Error()
	}
	if s.diskErr != nil {
		st.DiskError = s.diskErr.Error()
	}
	return st, s.totals
}

var (
	spoolingMetric = describe("spooling", "1 while blocks go to disk instead of straight on.")
	fullMetric     = describe("full", "1 while new blocks wait because the last write to disk failed.")
	bytesMetric    = describe("bytes", "Bytes in the spool directory.")
	limitMetric    = describe("limit_bytes", "Bytes that the spool directory may hold.")
	blocksMetric   = describe("blocks", "Blocks on disk that were not confirmed.")
	oldestMetric   = describe("oldest_seconds", "Age of the oldest block on disk.")
	passedMetric   = describe("passed_total", "Blocks confirmed without touching the disk.")
	writtenMetric  = describe("written_total", "Blocks written to disk.")
	sentMetric     = describe("sent_total", "Blocks from disk that were confirmed.")
	retriesMetric  = describe("retries_total", "Attempts to send a block from disk that failed.")
	refusedMetric  = describe("refused_total", "Blocks from disk that were refused permanently and set aside.")
	damagedMetric  = describe("damaged_total", "Blocks that could not be read back from disk.")
)

func describe(name, help string) *prometheus.Desc {
	kind := metric.GaugeKind
	if strings.HasSuffix(name, "_total") {
		kind = metric.CounterKind
	}
	return metric.Define(metric.Ingest, kind, "tapedeck_spool_"+name, help, "dir").Desc()
}

// Describe implements prometheus.Collector.
func (s *Spool) Describe(descs chan<- *prometheus.Desc) { prometheus.DescribeByCollect(s, descs) }

// Collect implements prometheus.Collector.
func (s *Spool) Collect(metrics chan<- prometheus.Metric) {
	st, t := s.snapshot()
	flag := map[bool]float64{true: 1}
	for _, m := range [...]struct {
		desc  *prometheus.Desc
		kind  prometheus.ValueType
		value float64
	}{
		{spoolingMetric, prometheus.GaugeValue, flag[st.Mode != "direct"]},
		{fullMetric, prometheus.GaugeValue, flag[st.Full]},
		{bytesMetric, prometheus.GaugeValue, float64(st.Bytes)},
		{limitMetric, prometheus.GaugeValue, float64(st.Limit)},
		{blocksMetric, prometheus.GaugeValue, float64(st.Blocks)},
		{oldestMetric, prometheus.GaugeValue, st.OldestMS / 1e3},
		{passedMetric, prometheus.CounterValue, float64(t.passed)},
		{writtenMetric, prometheus.CounterValue, float64(t.written)},
		{sentMetric, prometheus.CounterValue, float64(t.sent)},
		{retriesMetric, prometheus.CounterValue, float64(t.retries)},
		{refusedMetric, prometheus.CounterValue, float64(t.refused)},
		{damagedMetric, prometheus.CounterValue, float64(t.damaged)},
	} {
		metrics <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value, s.opts.Dir)
	}
}
