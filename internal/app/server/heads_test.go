package server

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// counted returns the value of a counter of the process with a label.
func counted(t *testing.T, name, label, value string) (n float64) {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == label && l.GetValue() == value {
					n += m.GetCounter().GetValue()
				}
			}
		}
	}
	return n
}

// A head beyond the limit is refused before its route is looked for, whatever makes it large, and
// the answer names the limit. One far beyond it is refused by net/http.
func TestHeadTooLarge(t *testing.T) {
	s := bareServer(t)
	go func() { _ = s.serve(s.http, s.Listener) }()
	defer s.http.Close()
	send := func(path string, fields map[string]string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range fields {
			r.Header.Set(name, v)
		}
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		return res, string(text)
	}
	long := strings.Repeat("x", DefaultHeaderBytes)
	before := counted(t, "tapedeck_limit_refused_total", "limit", "max-header-bytes")
	for name, fields := range map[string]map[string]string{
		"/healthz": {"Cookie": "a=" + long}, "/v1/nothing": {"X": long}, "/healthz?x=" + long: nil,
	} {
		res, text := send(name, fields)
		var p struct{ Limit, Hint string }
		if err := json.Unmarshal([]byte(text), &p); err != nil || res.StatusCode != 431 || p.Limit != "max-header-bytes" || !strings.Contains(p.Hint, "--max-header-bytes") {
			t.Errorf("%.20s: %d %.200s", name, res.StatusCode, text)
		}
	}
	if n := counted(t, "tapedeck_limit_refused_total", "limit", "max-header-bytes") - before; n != 3 {
		t.Errorf("%v are counted, want 3", n)
	}
	if res, text := send("/healthz", map[string]string{"Cookie": long[:DefaultHeaderBytes/2]}); res.StatusCode != 200 {
		t.Errorf("half of the limit: %d %s", res.StatusCode, text)
	}
	if res, _ := send("/healthz", map[string]string{"Cookie": long + long + long}); res.StatusCode != 431 {
		t.Errorf("three times the limit: %d", res.StatusCode)
	}
}
