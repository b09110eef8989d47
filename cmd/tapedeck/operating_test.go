package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Every part of a server has its metrics in one place.
func TestMetrics(t *testing.T) {
	s := shared.get(t)
	status, body, _ := s.get(t, "/metrics")
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	for _, name := range []string{
		"go_goroutines", "tapedeck_spool_bytes", "tapedeck_link_connections", "tapedeck_emulate_connections",
		"tapedeck_replay_", "tapedeck_sink_",
	} {
		if !strings.Contains(string(body), "\n"+name) {
			t.Errorf("there is no metric %s", name)
		}
	}
}

// The doctor names each thing that it looked at once.
func TestDoctorNamesThingsOnce(t *testing.T) {
	s := shared.get(t)
	stdout, stderr, _ := s.run(t, "doctor", "--json")
	var found struct{ Findings []finding }
	if err := json.Unmarshal([]byte(stdout), &found); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	seen := map[string]bool{}
	for _, f := range found.Findings {
		if seen[f.What] {
			t.Errorf("%s is named twice:\n%s", f.What, stdout)
		}
		seen[f.What] = true
	}
	if !seen["spool"] || !seen["server_spool"] {
		t.Errorf("the spools are not named:\n%s", stdout)
	}
}
