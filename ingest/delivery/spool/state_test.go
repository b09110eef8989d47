package spool

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/metric/metrictest"
)

func TestMetrics(t *testing.T) {
	next, f := &fakeNext{refuse: errDown}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: t.TempDir(), Next: next, Limit: 1 << 20})
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(s)
	publish(t, s, f, 0, 3, 100)
	f.Wait(t)
	shown := metrictest.Gathered(reg)
	shown.Show(t, "tapedeck_spool_spooling", "tapedeck_spool_blocks", "tapedeck_spool_bytes", "tapedeck_spool_oldest_seconds",
		"tapedeck_spool_written_total", "tapedeck_spool_retries_total")
	got := gather(t, reg)
	for name, want := range map[string]float64{"spooling": 1, "blocks": 3, "written_total": 3, "limit_bytes": 1 << 20, "full": 0, "sent_total": 0} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if got["bytes"] < 300 || got["oldest_seconds"] <= 0 {
		t.Errorf("metrics %v", got)
	}
	next.set(nil, nil)
	drained(t, s)
	publish(t, s, f, 3, 5, 100)
	f.Wait(t)
	shown.Show(t, "tapedeck_spool_sent_total")
	got = gather(t, reg)
	for name, want := range map[string]float64{"spooling": 0, "blocks": 0, "bytes": 0, "sent_total": 3, "passed_total": 2, "oldest_seconds": 0} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	closeNow(t, s)
}

func gather(t *testing.T, reg *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		m := family.GetMetric()[0]
		v := m.GetGauge().GetValue()
		if family.GetType() == dto.MetricType_COUNTER {
			v = m.GetCounter().GetValue()
		}
		got[strings.TrimPrefix(family.GetName(), "tapedeck_spool_")] = v
	}
	return got
}

func TestStateAsJSON(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir(), Next: &fakeNext{}})
	b, err := json.Marshal(s.State())
	if err != nil || strings.Contains(string(b), "last_error") || !strings.Contains(string(b), `"mode":"direct"`) {
		t.Errorf("%s %v", b, err)
	}
	closeNow(t, s)
}
