package operate

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tapedeck/internal/app/command/doctor"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// Every part of a server has its metrics in one place.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	status, body, _ := s.Get(t, "/metrics")
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	for _, name := range []string{
		"go_goroutines", "tapedeck_spool_bytes", "tapedeck_upload_recorders", "tapedeck_emulate_connections",
		"tapedeck_replay_", "tapedeck_sink_", "tapedeck_build_info", "tapedeck_disk_free_bytes", "tapedeck_jetstream_up 1",
		"tapedeck_clickhouse_up 1", "tapedeck_clickhouse_disk_free_bytes", "tapedeck_clickhouse_restarts_total 0",
	} {
		if !strings.Contains(string(body), "\n"+name) {
			t.Errorf("there is no metric %s", name)
		}
	}
}

// The doctor names each thing that it looked at once.
func TestDoctorNamesThingsOnce(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	stdout, stderr, _ := s.Run(t, "doctor", "--json")
	var found struct{ Findings []doctor.Finding }
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

// A machine without the engine of local mode is well if its server is elsewhere, and is not without a server.
func TestDoctorWithoutEngine(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	for server, want := range map[string]bool{s.URL: true, "http://127.0.0.1:1": false} {
		cmd := s.Command(t, "doctor", "--json", "--server", server)
		cmd.Env = append(cmd.Env, "TAPEDECK_LIBCHDB=/nowhere", "PATH=/nowhere")
		stdout, stderr, exit := commandtest.Finish(t, cmd)
		var found struct{ Findings []doctor.Finding }
		if err := json.Unmarshal([]byte(stdout), &found); err != nil {
			t.Fatalf("%v\n%s%s", err, stdout, stderr)
		}
		if engine := found.Findings[0]; engine.What != "engine" || engine.OK != want || (exit == 0) != want {
			t.Errorf("%s: exit %d, %+v", server, exit, found.Findings)
		}
	}
}

// HTTP requests are counted by route, method and status; no label is made of what a
// client sent.
func TestHTTPMetrics(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	s.Get(t, "/v1/sessions/a-session-that-is-not-there")
	s.Get(t, "/v1/a-route-that-is-not-there")
	for method, host := range map[string]string{"INVENTED": "", http.MethodGet: "foreign.example"} {
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/v1/sessions", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	for _, labels := range []string{
		`code="404",method="GET",route="/v1/sessions/:id"`, `code="404",method="GET",route="none"`,
		`code="405",method="other",route="/v1/sessions"`, `code="421",method="GET",route="none"`,
	} {
		if n := s.Metric(t, "tapedeck_http_requests_total{"+labels+"}"); n < 1 {
			t.Errorf("%s: %v requests", labels, n)
		}
	}
	if n := s.Metric(t, `tapedeck_http_request_seconds_count{method="GET",route="/v1/sessions/:id"}`); n < 1 {
		t.Errorf("%v requests were timed", n)
	}
	_, body, _ := s.Get(t, "/metrics")
	for _, sent := range []string{"not-there", "INVENTED", "foreign"} {
		if strings.Contains(string(body), sent) {
			t.Errorf("%q of a request is in the metrics", sent)
		}
	}
}
