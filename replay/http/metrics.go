package replayhttp

import (
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

// The outcomes of a request for a playback.
const (
	outcomeEnded   = "ended"   // everything was played
	outcomeLeft    = "left"    // the client disconnected, or the server was stopped
	outcomeStuck   = "stuck"   // the client did not read in time
	outcomeSlow    = "slow"    // the client fell behind by more than the limit
	outcomeFailed  = "failed"  // the tape could not be read further
	outcomeRefused = "refused" // the playback did not begin
)

type metrics struct {
	running  prometheus.Gauge
	outcomes *prometheus.CounterVec
	frames   *prometheus.CounterVec
	bytes    prometheus.Counter
}

var (
	runningMetric = metric.Define(metric.API, metric.GaugeKind, "tapedeck_replay_playbacks",
		"Playbacks that are running.")
	outcomesMetric = metric.Define(metric.API, metric.CounterKind, "tapedeck_replay_playbacks_total",
		"Playbacks by how they ended: ended, left, stuck, slow, failed or refused.", "outcome")
	framesMetric = metric.Define(metric.API, metric.CounterKind, "tapedeck_replay_frames_total",
		"Frames played, by the transport over which they went out.", "transport")
	sentBytesMetric = metric.Define(metric.API, metric.CounterKind, "tapedeck_replay_sent_bytes_total",
		"Bytes of bodies and WebSocket messages sent by playbacks.")
)

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		running: runningMetric.Gauge(), outcomes: outcomesMetric.CounterVec(),
		frames: framesMetric.CounterVec(), bytes: sentBytesMetric.Counter(),
	}
	for _, outcome := range []string{outcomeEnded, outcomeLeft, outcomeStuck, outcomeSlow, outcomeFailed,
		outcomeRefused} {
		m.outcomes.WithLabelValues(outcome)
	}
	r.MustRegister(m.running, m.outcomes, m.frames, m.bytes)
	return m
}

func (m *metrics) ended(outcome string) { m.outcomes.WithLabelValues(outcome).Inc() }
