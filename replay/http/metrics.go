package replayhttp

import (
	"github.com/prometheus/client_golang/prometheus"
)

// The outcomes of a request for a playback.
const (
	outcomeEnded   = "ended"   // everything was played
	outcomeLeft    = "left"    // the client left, or the server was stopped
	outcomeStuck   = "stuck"   // the client did not read in time
	outcomeSlow    = "slow"    // the client fell behind by more than the limit
	outcomeFailed  = "failed"  // the tape could not be read on
	outcomeRefused = "refused" // it did not begin
)

type metrics struct {
	running  prometheus.Gauge
	outcomes *prometheus.CounterVec
	frames   *prometheus.CounterVec
	bytes    prometheus.Counter
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tapedeck_replay_playbacks",
			Help: "Playbacks that are running.",
		}),
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tapedeck_replay_playbacks_total",
			Help: "Playbacks by how they ended: ended, left, stuck, slow, failed or refused.",
		}, []string{"outcome"}),
		frames: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tapedeck_replay_frames_total",
			Help: "Frames played, by the transport over which they went out.",
		}, []string{"transport"}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tapedeck_replay_sent_bytes_total",
			Help: "Bytes of bodies and WebSocket messages sent by playbacks.",
		}),
	}
	r.MustRegister(m.running, m.outcomes, m.frames, m.bytes)
	return m
}

func (m *metrics) ended(outcome string) { m.outcomes.WithLabelValues(outcome).Inc() }
